"""Routing of names to shards by a key, with a second key for the hot values of the first.

If a program is key-local for two keys, it is so for their pair: the facts of a shard by the first key are
themselves a stream, which the second key divides. The pair is used for the hot values only; all other shards
remain whole. Queries and temporal rules must be key-local for each of the keys.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import cast

from rdflib import RDF, BNode, Literal, URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import NotKeyLocalError, OptionError
from pantarhei.model.message_text import disambiguate
from pantarhei.model.rule import Predicate
from pantarhei.model.term import Term, Triple, short
from pantarhei.rules.sharding.key_map import SUBJECT, Key
from pantarhei.rules.sharding.sharding_report import ShardingReport
from pantarhei.values.by_value import READINGS


@dataclass(frozen=True, slots=True)
class Routing:
    """Shard keys of names. Build with `of`.

    Args:
        report: the sharding report, for each of the keys.
        key: the first key.
        second_keys: the second key for each hot value of the first key.

    >>> from pantarhei import load_ontology
    >>> a, b, in_, north = (URIRef(f"urn:x#{name}") for name in ("a", "b", "in", "north"))
    >>> ontology = load_ontology("ontologies/pedals.ttl")
    >>> report = ontology.sharding_report(background=[(a, in_, north), (b, in_, north)])
    >>> routing = Routing.of(report, in_, {north: "subject"})
    >>> routing.shard_key(a), routing.label(b)
    ('<urn:x#north> <urn:x#a>', 'north, b')
    """

    report: ShardingReport
    key: Key
    second_keys: Mapping[Hashable, Key]

    @classmethod
    def of(cls, report: ShardingReport, key: Key, hot_keys: Mapping[Term, Key] | None = None) -> Routing:
        """Return the routing by a key.

        Args:
            report: a report on `key` and on all values of `hot_keys`.
            hot_keys: values of `key` whose shards are too large, each with the second key that divides it.

        Raises:
            NotKeyLocalError: rules join facts with different values of a key.
            OptionError: `hot_keys` has a name that is not a value of `key`, or a key that does not divide it;
                or a key was not checked.
        """
        hot_keys = {} if hot_keys is None else hot_keys
        if not isinstance(hot_keys, Mapping):
            raise OptionError("hot_keys", repr(hot_keys), "a mapping from values of the key to second keys")
        for used in (key, *hot_keys.values()):
            if not report.allows(used):
                raise NotKeyLocalError(str(used), report.about(used))
        keys = report.maps[key]
        values = {keys.value_of(name) for name in keys.keys}
        read = READINGS[keys.numbers]
        for hot, second in hot_keys.items():
            if key == SUBJECT or second == key:
                expected = "a second key of a shard with several subjects, for a property as the first key"
                raise OptionError("hot_keys", repr(dict(hot_keys)), expected)
            if not isinstance(hot, URIRef | BNode | Literal) or read(hot) not in values:
                raise OptionError("hot_keys", repr(hot), f"values of {keys.name} in the background")
        return cls(report, key, {read(hot): second for hot, second in hot_keys.items()})

    @property
    def keys(self) -> tuple[Key, ...]:
        """The first and the second keys. Queries and temporal rules must be key-local for each of them."""
        return tuple(dict.fromkeys((self.key, *self.second_keys.values())))

    def shard_key(self, name: Term) -> str:
        """Return the key of the shard of a subject, as N-Triples. Equal texts are one shard."""
        return " ".join(part.n3() for part in self._parts(name))

    def label(self, name: Term) -> str:
        """Return the key of the shard of a subject, for messages."""
        return disambiguate(lambda: ", ".join(map(short, self._parts(name))))

    def shard_keys_of(self, triple: Triple) -> tuple[str, ...] | None:
        """Return the key of the shard that can hold a triple; empty if each shard holds it, and None if any
        shard may hold it.
        """
        first = self._holder(self.key, triple)
        if isinstance(first, tuple):
            return first
        if first is None:
            return None
        second_key = self._second_key(first)
        if second_key is None:
            return (self.shard_key(first),)
        second = self._holder(second_key, triple)
        if second is None or isinstance(second, tuple):
            return second
        maps = self.report.maps
        return (f"{maps[self.key].of(first).n3()} {maps[second_key].of(second).n3()}",)

    def refusal(self, subject: Term, predicate: Term, object_: Term) -> str | None:
        """Return why an assertion breaks the promise of `colocated` for one of its keys, as one line; None if
        it keeps the promise.
        """
        refusal = self.report.refusal(self.key, subject, predicate, object_)
        second_key = self._second_key(subject)
        if refusal is not None or second_key is None:
            return refusal
        return self.report.refusal(second_key, subject, predicate, object_)

    def _second_key(self, name: Term) -> Key | None:
        """Return the key that divides the shard of a name; None if the shard is whole."""
        if not self.second_keys or isinstance(name, BNode):
            return None
        return self.second_keys.get(self.report.maps[self.key].value_of(name))

    def _parts(self, name: Term) -> tuple[Term, ...]:
        if isinstance(name, BNode):
            return (name,)  # a blank node of the stream is not that of the background with an equal label
        second_key, maps = self._second_key(name), self.report.maps
        first = maps[self.key].of(name)
        return (first,) if second_key is None else (first, maps[second_key].of(name))

    def _holder(self, key: Key, triple: Triple) -> URIRef | tuple[()] | None:
        """Return the name in a triple that has the key of its shard; empty if the triple is background, and
        None if any shard may hold it.
        """
        subject, predicate, object_ = triple
        is_class = predicate == RDF.type
        name = cast(Predicate, object_ if is_class else predicate)
        positions = self.report.positions(key, Symbol(name, 1 if is_class else 2))
        if positions is None:
            return ()
        holder = next(((subject, object_)[position] for position in sorted(positions)), None)
        # The shard of a blank node is determined by its label in the stream, which the window does not keep.
        return holder if isinstance(holder, URIRef) else None
