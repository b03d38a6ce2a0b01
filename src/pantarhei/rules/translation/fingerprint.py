"""Fingerprints: a SHA-256 of rules or triples that is the same wherever, whenever and in whatever order they
were read.

Rules are hashed in canonical form, without their names and origins: these say where a rule comes from, not
what follows by it. Terms are hashed as they are written. Labels of blank nodes do not count: a blank node is
what is said about it, found by colour refinement, so that two nodes which that cannot tell apart have the
same part in the fingerprint.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from itertools import groupby

from rdflib import BNode, Literal

from pantarhei.model.rule import Atom, Rule
from pantarhei.model.term import Triple
from pantarhei.rules.translation.canonical_rule import canonical

# Rounds of colour refinement: a blank node is what is said about it so far away, along blank nodes.
_MOST_ROUNDS = 64

_Token = str | BNode


def fingerprint_of_rules(rules: Iterable[Rule]) -> str:
    """The hex SHA-256 of rules and constraints. Costs their size, and putting each in canonical form."""
    known: dict[Atom, list[_Token]] = {}
    return _fingerprint([_tokens_of_rule(rule, known) for rule in rules])


def fingerprint_of_triples(triples: Iterable[Triple]) -> str:
    """The hex SHA-256 of triples. Costs their number, times the distance at which blank nodes differ.

    >>> from rdflib import URIRef
    >>> one, other, says = BNode("one"), BNode("other"), URIRef("urn:says")
    >>> fingerprint_of_triples([(one, says, other)]) == fingerprint_of_triples([(other, says, one)])
    True
    """
    return _fingerprint([_tokens(triple) for triple in triples])


def text_of_rule(rule: Rule) -> str:
    """What `rule` says as text, without its name and origin; labels of blank nodes do count."""
    return "".join(map(_labelled, _tokens_of_rule(rule, {})))


def _tokens_of_rule(rule: Rule, known: dict[Atom, list[_Token]]) -> list[_Token]:
    """The tokens of the rule in canonical form, with "" for name and origin; `known` has those of atoms."""
    logic = canonical(rule)
    found: list[_Token] = ["Rule[", *_NOTHING, "("]
    for atom in logic.body:
        found += _tokens_of_atom(atom, known)
    found.append(")")
    found += ["None"] if logic.head is None else _tokens_of_atom(logic.head, known)
    found += _tokens(tuple(sorted(logic.different, key=str))) if logic.different else _NONE
    found += _NOTHING
    found += _tokens(logic.tests) if logic.tests else _NONE
    found.append("]")
    return _joined(found)


def _tokens_of_atom(atom: Atom, known: dict[Atom, list[_Token]]) -> list[_Token]:
    """Atoms with literals are not kept: those that differ in the case of a language tag only are equal."""
    if atom in known:
        return known[atom]
    found = _tokens(atom)
    if not any(isinstance(argument, Literal) for argument in atom.arguments):
        known[atom] = found
    return found


def _tokens(value: object) -> list[_Token]:
    """The parts of `value` in order: blank nodes as themselves, and what is between two as one part."""
    found: list[_Token] = []

    def walk(part: object) -> None:
        if isinstance(part, BNode):
            found.append(part)
        elif isinstance(part, Literal):
            found.append(f"L{_sized(part)}{_sized(part.datatype or '')}{_sized(part.language or '')}")
        elif isinstance(part, str):  # IRIs, variables, names
            found.append(f"{type(part).__name__[0]}{_sized(part)}")
        elif isinstance(part, tuple):
            found.append("(")
            for member in part:
                walk(member)
            found.append(")")
        elif is_dataclass(part):
            found.append(f"{type(part).__name__}[")
            for field in fields(part):
                walk(getattr(part, field.name))
            found.append("]")
        else:
            found.append(repr(part))  # True, False, None

    walk(value)
    return _joined(found)


def _joined(tokens: list[_Token]) -> list[_Token]:
    """The tokens with those between blank nodes as one."""
    if {str} == set(map(type, tokens)):
        return ["".join(tokens)]
    found: list[_Token] = []
    for is_node, several in groupby(tokens, lambda token: isinstance(token, BNode)):
        parts = list(several)
        found += parts if is_node else ["".join(parts)]
    return found


def _sized(text: str) -> str:
    return f"{len(text)}:{text}"


_NOTHING, _NONE = _tokens(""), _tokens(())


def _labelled(token: _Token) -> str:
    return f"_{_sized(token)}" if isinstance(token, BNode) else token


def _fingerprint(given: Iterable[list[_Token]]) -> str:
    statements = list({tuple(map(_labelled, tokens)): tokens for tokens in given}.values())
    colours = _colours([tokens for tokens in statements if any(isinstance(t, BNode) for t in tokens)])
    texts = {_text(tokens, lambda node: colours[node]) for tokens in statements}
    digest = hashlib.sha256()
    for text in sorted(texts):
        digest.update(text)
    return digest.hexdigest()


def _text(tokens: Sequence[_Token], colour: Callable[[BNode], bytes]) -> bytes:
    """The digest of a statement with its blank nodes coloured."""
    digest = hashlib.sha256()
    for token in tokens:
        if isinstance(token, BNode):
            digest.update(b"_" + colour(token))
        else:
            digest.update(token.encode("utf-8", "surrogatepass"))
    return digest.digest()


def _colours(statements: Sequence[list[_Token]]) -> dict[BNode, bytes]:
    """A colour for each blank node, from the statements it occurs in and the colours of its neighbours."""
    about: defaultdict[BNode, list[list[_Token]]] = defaultdict(list)
    for tokens in statements:
        for node in {token for token in tokens if isinstance(token, BNode)}:
            about[node].append(tokens)
    colours = dict.fromkeys(about, b"")
    for _ in range(_MOST_ROUNDS):
        refined = {node: _refined(node, about[node], colours) for node in about}
        settled = len(set(refined.values())) == len(set(colours.values()))
        colours = refined
        if settled:
            break
    return colours


def _refined(node: BNode, statements: Sequence[list[_Token]], colours: dict[BNode, bytes]) -> bytes:
    def seen(other: BNode) -> bytes:
        return b"self" if other == node else colours[other]

    return hashlib.sha256(b"".join(sorted(_text(tokens, seen) for tokens in statements))).digest()
