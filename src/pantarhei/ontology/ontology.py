"""Ontologies. An ontology is loaded before the stream starts.

`load_ontology` reads a document with its imports, and translates its axioms to rules, constraints and
background.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import (
    InputError,
    InvalidRuleError,
    NotEntailedError,
    OptionError,
    UnsupportedAxiomError,
    check_type,
)
from pantarhei.interpretation.foundation import Foundation, always_true
from pantarhei.model.data_range import DataRange, Datatype
from pantarhei.model.labels import ENGLISH, LABEL_PROPERTIES, Labels, labels_of, languages_of
from pantarhei.model.message_text import DisplayNames, counted, disambiguate
from pantarhei.model.representation import html_of
from pantarhei.model.rule import Origin, Predicate, Rule
from pantarhei.model.term import ONLY_TYPE, Term, Triple, check_triple, in_order
from pantarhei.ontology.axiom_translation import shown_names_of, translate_axioms
from pantarhei.ontology.closure import FRESH, AssertionClosure
from pantarhei.ontology.entailment import Entailment, entails_reading
from pantarhei.ontology.justification import AxiomIndex, Justification, SupportSearch
from pantarhei.ontology.schema import Schema, schema_of
from pantarhei.ontology.unknown_names import NameKind, UnknownName, unknown_names_in_axioms
from pantarhei.owl.axiom import (
    NOTHING,
    Class,
    ClassAssertion,
    DatatypeDefinition,
    Property,
    PropertyDomain,
    SubClassOf,
    parts,
)
from pantarhei.owl.axiom_mapping import Reading, read_axioms
from pantarhei.owl.background_axioms import axioms_of, has_axioms, lists_of_facts, table_has_axioms
from pantarhei.owl.document import Document
from pantarhei.owl.graph_files import GraphFile, GraphFiles, documents_at, graph_at
from pantarhei.owl.imports import DocumentSet, Imports, read_with_imports
from pantarhei.owl.leftover import Leftover
from pantarhei.owl.name_kinds import is_declaration, is_defined
from pantarhei.owl.report import Report, ReportedContradiction, ReportEntry
from pantarhei.owl.simplify import data_ranges, datatype_definitions, inline_datatypes
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.sentences import sentence
from pantarhei.proofs.sentences import term_name as name_of
from pantarhei.proofs.supports import BudgetExceeded, StepBudget
from pantarhei.rdf.ntriples import exactly, write_term, write_triple
from pantarhei.rdf.triple_table import is_table, triples_of
from pantarhei.repair.conflict import Budget
from pantarhei.repair.consistency import Contradiction, Position, inconsistency
from pantarhei.repair.result import ConflictList
from pantarhei.rules.sharding.key_map import Key
from pantarhei.rules.sharding.locality import sharding_report
from pantarhei.rules.sharding.sharding_report import ShardingReport
from pantarhei.rules.translation.canonical_rule import fingerprint_of_rules, fingerprint_of_triples
from pantarhei.rules.translation.demand import Theory, by_class, fireable_rules, gives_literal_class
from pantarhei.rules.translation.inconsistency_normal_form import InconsistencyNormalForm
from pantarhei.rules.translation.translate import without_duplicates
from pantarhei.values.by_value import Numbers
from pantarhei.values.membership import range_problem, unknown_reason

if TYPE_CHECKING:
    import pyarrow as pa

# Limits of the search for one smallest justification.
_FIRST = Budget(sets=2_000, steps=100_000, instances=100_000)

_ANYTHING = {URIRef(f"{FRESH}0"): "anything"}  # name of the instance of a domain that cannot be empty

# Sets with one term: a look-up is faster than comparing rdflib terms.
_INDIVIDUAL: frozenset[Term] = frozenset({OWL.NamedIndividual})
_DATA_PROPERTY: frozenset[Term] = frozenset({OWL.DatatypeProperty})


class Fingerprints(NamedTuple):
    """Hex SHA-256 of an ontology's rules and constraints, and of its background.

    Args:
        rules: the hash of rules and constraints.
        background: the hash of the background.
    """

    rules: str
    background: str


@dataclass(frozen=True, repr=False)
class Ontology:
    """An ontology as rules, constraints and background, with a report on the translation of its axioms.

    Args:
        rules: the rules, without duplicates.
        constraints: the rules without a head, without duplicates.
        background: the assertions in the ontology, which hold at every time.
        triples: all triples that were read.
        imports_skipped: the imports that were skipped because no local copy was given.
        prefixes: the prefixes declared by the document, with their IRIs.
        languages: the preferred languages of labels, as tags in lower case, the best first.
    """

    rules: tuple[Rule, ...]
    constraints: tuple[Rule, ...]
    background: frozenset[Triple] = frozenset()
    triples: tuple[Triple, ...] = ()
    imports_skipped: tuple[str, ...] = ()
    prefixes: tuple[tuple[str, str], ...] = ()
    _report: Report = field(default=Report(()), repr=False)
    _definitions: Mapping[URIRef, DataRange] = field(default_factory=dict, repr=False, hash=False)
    _read: DocumentSet | None = field(default=None, repr=False, compare=False)
    languages: tuple[str, ...] = field(default=ENGLISH, compare=False)
    _impossible: tuple[Rule, ...] = field(default=(), repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    _repr_html_ = html_of

    @classmethod
    def from_rules(cls, rules: Iterable[Rule], background: Iterable[Triple] = ()) -> Ontology:
        """Return an ontology with the given rules and constraints, in the order given.

        Raises:
            OptionError: an item of `rules` is not a rule.
            InvalidRuleError: the head of a rule has a literal as class.
            InconsistentOntologyError: the rules and the background contradict each other.

        >>> Ontology.from_rules([]).background
        frozenset()
        """
        check_type("rules", rules, Iterable, "an iterable of rules")
        for rule in (listed := tuple(rules)):
            check_type("rules", rule, Rule, "rules of type Rule")
            if gives_literal_class(rule):
                raise InvalidRuleError(
                    str(rule), "the class in its head is a literal; a class is an IRI or a blank node"
                )
        given = without_duplicates(tuple(map(by_class, listed)))
        ontology = cls(
            rules=tuple(rule for rule in given if not rule.is_constraint),
            constraints=tuple(rule for rule in given if rule.is_constraint),
            background=frozenset(map(check_triple, background)),
        )
        return _consistent(ontology)

    def __repr__(self) -> str:
        parts = ("rule", self.rules), ("constraint", self.constraints), ("assertion", self.background)
        return f"Ontology({', '.join(counted(len(found), noun) for noun, found in parts)})"

    def _shown_parts(self) -> dict[str, object]:
        return {
            "rules": self.rules,
            "constraints": self.constraints,
            "background": self.background,
            "prefixes": dict(self.prefixes),
            "axioms": self._report,
        }

    @property
    def names(self) -> DisplayNames:
        """The names shown for IRIs whose last parts are ambiguous."""
        return self._report.names

    @cached_property
    def labels(self) -> Labels:
        """The label of each name that has one: its `rdfs:label`, `skos:prefLabel` or `schema:name` in the
        best language.
        """
        return labels_of(self.triples or self.background, self.languages)

    def labels_beside(self, facts: Iterable[Triple]) -> Labels:
        """Return the labels of names in the ontology and in further facts."""
        given = [fact for fact in facts if fact[1] in LABEL_PROPERTIES]
        if not given:
            return self.labels
        return labels_of(chain(self.triples or self.background, given), self.languages)

    @cached_property
    def graph(self) -> Graph:
        """All triples that were read, imports included, as an rdflib graph."""
        graph = Graph()
        for prefix, iri in self.prefixes:
            graph.bind(prefix, iri)
        for triple in self.triples:
            graph.add(triple)
        return graph

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """The fingerprints of the rules with the constraints, and of the background. They do not depend on
        order and origin.

        The canonical form of each rule is computed.
        """
        rules = fingerprint_of_rules((*self.rules, *self.constraints))
        return Fingerprints(rules, fingerprint_of_triples(self.background))

    @property
    def fingerprint(self) -> str:
        """The hex SHA-256 of `fingerprints`. It is equal in every process if rules and
        background are equal.
        """
        return hashlib.sha256("".join(self.fingerprints).encode()).hexdigest()

    def report(self, unique_names: bool = True) -> Report:
        """Return the report: each axiom with its translation, unsatisfiable names, and contradictions.

        The first call computes the schema and materializes the background.

        Args:
            unique_names: as in `StreamReasoner`: whether to report contradictions that only follow from
                unique names. Other contradictions are errors of `load_ontology`.
        """
        lists = [self._contradictions, *([self._contradictions_of_names] if unique_names else [])]
        listed = [found.first()[0] for found in lists]
        omitted = sum(map(len, lists)) - sum(map(len, listed))
        impossible = [] if self._contradictions else sorted(self.schema.unsatisfiable.items())
        labels = self.labels
        proofs = [(n, Justification((), (p,)).labelled(labels).proofs[0]) for n, p in impossible]
        return replace(
            self._report,
            unsatisfiable=disambiguate(
                lambda: tuple((str(n), tuple(p.lines())) for n, p in proofs), self.names
            ),
            contradictions=tuple(
                ReportedContradiction(
                    str(each),
                    each.unique_names,
                    () if each.proof is None else tuple(each.proof.lines()),
                    each.to_json(),
                )
                for found in listed
                for each in found
            ),
            omitted_contradictions=omitted if all(found.complete for found in lists) else None,
            labels=labels,
        )

    @cached_property
    def _contradictions(self) -> ConflictList[Contradiction]:
        """The contradictions under OWL's semantics, without unique names. Only an ontology that is read for a
        report can have any.
        """
        closure = self._closure_of_assertions()
        impossible = [Contradiction(frozenset(), (rule,)) for rule in self._impossible]
        if closure.inconsistent:
            found = closure.contradictions()
            return self._located(ConflictList.of([*impossible, *found], found.complete))
        if not impossible and (proof := closure.proof_of_void()) is not None:
            impossible = [Contradiction(frozenset(), proof.rules[-1:], _prove=lambda: proof)]
        return self._located(ConflictList.of(impossible))

    @cached_property
    def _contradictions_of_names(self) -> ConflictList[Contradiction]:
        """The contradictions that only follow from unique names. A reasoner with unique names refuses an
        ontology with such contradictions.
        """
        given = Foundation.of(self).contradictions()
        known = {each.triples for each in self._contradictions}
        found = [
            replace(each, unique_names=True)
            for each in given
            if each.triples not in known
            and any(rule.different or rule.name == "pr-unique" for rule in each.constraints)
        ]
        return self._located(ConflictList.of(found, given.complete))

    def _located(self, found: ConflictList[Contradiction]) -> ConflictList[Contradiction]:
        """Return contradictions with labels and positions, which may cost a pass over the documents."""

        @cache
        def positions() -> Mapping[Triple, Position]:
            return self._positions(triple for each in found for triple in each.triples)

        def located(each: Contradiction) -> Contradiction:
            written = {triple: positions()[triple] for triple in each.triples if triple in positions()}
            return replace(each, labels={**self.labels, **_ANYTHING}, positions=written)

        return found.mapped(located)

    @property
    def losses(self) -> tuple[ReportEntry, ...]:
        """The axioms that have no effect, in whole or in part. Unlike `report`, it does not compute the
        schema.
        """
        return self._report.losses

    @cached_property
    def schema(self) -> Schema:
        """The entailed subclasses, domains, ranges and other relations of names; computed on first access.

        The cost is that of the consequences of one instance of each class and property. Concurrent accesses
        are serialized.
        """
        classes, properties = self._names()
        of_data = self._data_properties
        with self._lock:
            schema = schema_of(self._closure, classes, properties, of_data, self.constraints)
        return replace(schema, labels=self.labels)

    def entails(self, graph: Graph | Iterable[Triple] | GraphFile, annotations: bool = False) -> bool:
        """Return True if the ontology entails `graph` (OWL 2 Direct Semantics, without unique names).

        Blank nodes in assertions are existential variables. Within OWL 2 RL the answer is exact. Beyond OWL 2
        RL, True is certain and False may mean unknown, for example for cardinalities above 100, or for blank
        nodes that occur only in axioms and have too many candidate names. The first call materializes the
        background; the cost of each call is that of the consequences of its assumptions. Concurrent calls are
        serialized.

        Args:
            graph: assertions and axioms, as a graph, triples or files. Declarations are always entailed.
            annotations: also require the annotations of `graph` to be in the ontology; the semantics ignores
                them.

        Raises:
            InputError: the graph has no axiom or assertion, or has malformed axioms or an undecidable data
                range.
            MissingFileError: a file does not exist.
            OptionError: `graph` is neither a graph nor triples nor a path.

        >>> from pantarhei import load_ontology
        >>> from rdflib import RDFS, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> load_ontology("ontologies/pedals.ttl").entails([(EX.GasPedalPressed, RDFS.subClassOf, EX.Car)])
        True
        """
        reading = self._read_statement(graph, annotations)
        if reading is None:
            return False
        with self._lock:
            return bool(entails_reading(self._closure, reading))

    def explain(
        self,
        axiom: URIRef | Triple | Graph | Iterable[Triple] | GraphFile,
        all: bool = False,
        budget: Budget | None = None,
    ) -> Entailment:
        """Return the justifications of an entailed axiom or assertion, or of the unsatisfiability of a class
        or property, with proofs.

        A justification is a minimal set of axioms and assertions of the ontology that entails the axiom. In
        its proofs, the condition of the axiom is supposed for a new name. The cost is that of `entails`, plus
        the lineage of the conclusions, and grows with the number of justifications, which can be exponential
        in the number of axioms: see `budget`.

        Args:
            axiom: a triple, several triples or files that together write an axiom, or an unsatisfiable class
                or property.
            all: return all justifications instead of a smallest one.
            budget: limits of the search for justifications. If they are reached, the justification of one
                proof is returned, and `complete` is False. The default is a tenth of `Budget()`; with `all`
                it is `Budget()`.

        Raises:
            NotEntailedError: the axiom is not entailed, or the class or property may have an instance.
            InputError, OptionError: as in `entails`.

        >>> from rdflib import RDFS, Graph, Namespace
        >>> EX = Namespace("http://example.org/")
        >>> ontology = load_ontology(Graph().parse(data='''
        ...     @prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        ...     :Pump rdfs:subClassOf :Motor , :Device . :Motor rdfs:subClassOf :Machine .
        ...     :Device rdfs:subClassOf :Machine .'''))
        >>> found = ontology.explain((EX.Pump, RDFS.subClassOf, EX.Machine), all=True)
        >>> for justification in found.justifications:
        ...     print(*justification)
        SubClassOf(Device Machine) SubClassOf(Pump Device)
        SubClassOf(Motor Machine) SubClassOf(Pump Motor)
        """
        check_type("all", all, bool, "True or False")
        check_type("budget", budget, Budget | None, "a Budget")
        if isinstance(axiom, URIRef):
            return self._explain_emptiness(axiom, all, budget)
        read = graph_at(axiom, "axiom")
        check_type("axiom", read, Iterable, "a triple, triples, a graph, a path, or a name")
        is_triple = isinstance(read, tuple) and bool(read) and not any(isinstance(p, tuple) for p in read)
        given = [read] if is_triple else read
        triples = in_order(map(check_triple, cast("Iterable[Triple]", given)))
        reading = self._read_statement(triples, None)
        if reading is not None and (found := self._justified(reading, all, budget)) is not None:
            write = partial(sentence, labels=self.labels)
            words = "; ".join(disambiguate(lambda: list(_written(triples, reading, write)), self.names))
            return Entailment.of(words, *found, self.labels)
        statement = "; ".join(_written(triples, reading, write_triple))
        unknown: tuple[UnknownName, ...] = ()
        if reading is not None:
            unknown = unknown_names_in_axioms(reading.axioms, reading.assertions, self._known)
        raise self._denial(statement, "not derivable by rules", unknown)

    def _explain_emptiness(self, name: URIRef, all: bool, budget: Budget | None) -> Entailment:
        if name not in self.schema.unsatisfiable:
            statement = f"that {write_term(name)} can have no instance"
            unknown = unknown_names_in_axioms([ClassAssertion(Class(name), OWL.Thing)], (), self._known)
            raise self._denial(statement, "nothing contradicts that it has one", unknown)
        is_class = name in self._names()[0]
        axiom = SubClassOf(Class(name), NOTHING) if is_class else PropertyDomain(Property(name), NOTHING)
        found = self._justified(replace(read_axioms(()), axioms=(axiom,)), all, budget)
        assert found is not None, "it is unsatisfiable"
        words = disambiguate(lambda: f"{name_of(name, self.labels)} can have no instance", self.names)
        return Entailment.of(words, *found, self.labels)

    def _justified(
        self, reading: Reading, all_: bool, budget: Budget | None
    ) -> tuple[list[Justification], bool] | None:
        """Return the justifications of a statement, smallest first, and True if they are all; None if it is
        not entailed.
        """
        with self._lock:
            proofs = list[Proof]()
            if not entails_reading(self._closure, reading, proofs):
                return None
            index, limits = self._axiom_index, budget or (Budget() if all_ else _FIRST)
            search = SupportSearch(index, limits, StepBudget(limits.sets, limits.steps))
            try:
                sets = entails_reading(self._full_closure, reading, None, search)
                found = sorted(map(index.among, sets), key=_size_order)
            except BudgetExceeded:
                found = []
            first = index.used_by(proofs)
            shown = (found if all_ else found[:1]) or [first]
            located, justifications = self._located_axioms(chain(*shown)), list[Justification]()
            for axioms in shown:
                if axioms != first:
                    proofs = []
                    entails_reading(self._closure_of_axioms(axioms), reading, proofs)
                written = tuple(located.get(axiom, axiom) for axiom in axioms)
                justifications.append(Justification(written, tuple(proofs)))
            return justifications, len(justifications) == len(found)

    def _located_axioms(self, axioms: Iterable[Origin]) -> dict[Origin, Origin]:
        """Return the assertions among axioms, each with its position, which may cost a pass over the
        documents.
        """
        stated = self._axiom_index.assertions
        assertions = {axiom: stated[axiom] for axiom in axioms if axiom in stated}
        written = self._positions(assertions.values())
        return {
            axiom: replace(axiom, source=written[triple][0], line=written[triple][1])
            for axiom, triple in assertions.items()
            if triple in written
        }

    @cached_property
    def _axiom_index(self) -> AxiomIndex:
        """The axioms and assertions with their rules and facts. Costs one pass over the ontology; if it
        defines datatypes, its axioms are read again.
        """
        return disambiguate(
            lambda: AxiomIndex.of(
                (*self.rules, *self.constraints),
                self._report.entries,
                in_order(self.background),
                frozenset(self.triples),
                self._needed_definitions(),
            ),
            self.names,
        )

    def _needed_definitions(self) -> dict[Origin, tuple[Origin, ...]]:
        """Return for each axiom the definitions of the datatypes in it, in any depth."""
        if not self._definitions:
            return {}
        entries = self._report.entries
        axioms = dict(zip(read_axioms(self.triples).axioms, entries, strict=False))
        definition_of = {
            axiom.datatype.iri: (axiom, entry.origin)
            for axiom, entry in axioms.items()
            if isinstance(axiom, DatatypeDefinition)
        }
        found = {}
        for axiom, entry in axioms.items():
            waiting, needed = [axiom], dict[Origin, None]()
            for each in waiting:
                for datatype in parts(each, Datatype):
                    if isinstance(datatype, Datatype) and datatype.iri in definition_of:
                        definition, origin = definition_of[datatype.iri]
                        if origin != entry.origin and origin not in needed:
                            needed[origin] = None
                            waiting.append(definition)
            if needed:
                found[entry.origin] = tuple(needed)
        return found

    @cached_property
    def _full_closure(self) -> AssertionClosure:
        """The closure under the rules of all axioms; other than `_closure` if axioms have equal rules."""
        rules = self._axiom_index.rules
        is_same = len(rules) == len(self.rules) + len(self.constraints)
        return self._closure if is_same else self._closure_under(rules)

    @cached_property
    def _triples_read(self) -> frozenset[Triple]:
        """The triples of the documents."""
        return frozenset(() if self._read is None else self._read.triples)

    def _positions(self, triples: Iterable[Triple]) -> Mapping[Triple, Position]:
        """Return the positions of those triples that are in the documents."""
        found = [triple for triple in triples if triple in self._triples_read]
        return self._read.positions(found) if self._read is not None and found else {}

    def _closure_of_axioms(self, axioms: Collection[Origin]) -> AssertionClosure:
        """Return the closure of some axioms and assertions alone."""
        return AssertionClosure(
            *self._axiom_index.translation_of(axioms), self._individuals, self._data_properties
        )

    def _denial(self, statement: str, reason: str, unknown: Sequence[UnknownName]) -> NotEntailedError:
        return NotEntailedError(statement, None, reason, unknown, len(self.losses))

    @cached_property
    def _known(self) -> dict[NameKind, Collection[Term]]:
        """The classes, the properties, and as "name" all IRIs in triples, background and rules."""
        classes, properties = self._names()
        rules = (*self.rules, *self.constraints)
        atoms = (atom for rule in rules for atom in (*rule.body, *((rule.head,) if rule.head else ())))
        named = chain(
            (term for triple in chain(self.triples, self.background) for term in triple),
            (term for atom in atoms for term in (atom.predicate, *atom.arguments)),
        )
        iris = frozenset(term for term in named if isinstance(term, URIRef))
        return {"class": classes, "property": properties, "name": iris}

    def _read_statement(
        self, graph: Graph | Iterable[Triple] | GraphFile, annotations: bool | None
    ) -> Reading | None:
        """Return the axioms and assertions of a graph; None if the graph has annotations that are required
        and missing in the ontology.

        Args:
            annotations: require annotations; None if the caller has no such option.

        Raises:
            InputError, OptionError: as in `entails`.
        """
        read = graph_at(graph, "graph")
        check_type("graph", read, Iterable, "a graph, triples, or a path")
        given = list(map(check_triple, cast("Iterable[Triple]", read)))
        known = list(filter(_declares_a_name, self.triples))
        reading = read_axioms([*given, *known])
        unread = [leftover for leftover in reading.leftovers if not leftover.is_idle]
        facts = self._facts_in(unread)
        stated = reading.axioms or reading.assertions or facts or any(map(_declares_a_name, given))
        if not (stated or (annotations and reading.annotations)):
            hint = "" if annotations is None else "; annotations=True includes annotations"
            raise InputError(
                f"none of the {len(given)} triples is part of an axiom or an assertion, so there is nothing "
                f"to decide{hint}"
            )
        if annotations and not reading.annotations <= set(self.triples):
            return None
        axioms = tuple(inline_datatypes(axiom, self._definitions) for axiom in reading.axioms)
        for range_ in (found for axiom in axioms for found in data_ranges(axiom)):
            if reason := range_problem(range_) or unknown_reason(range_):
                raise InputError(f"entailments with {range_} cannot be decided: {reason}")
        return replace(reading, axioms=axioms, assertions=reading.assertions | facts)

    def _facts_in(self, unread: Sequence[Leftover]) -> frozenset[Triple]:
        """Return the triples of malformed axioms, which are facts if their class or property is in this
        ontology: some ontologies define names in the namespaces of OWL and RDF.

        Raises:
            InputError: the class or property of a triple is unknown.
        """
        facts: list[Triple] = []
        names = {name for made in self._names() for name in made} if unread else set()
        for leftover in unread:
            for triple in leftover.triples:
                _, predicate, object_ = triple
                if (object_ if predicate == RDF.type else predicate) not in names:
                    unknown = unknown_names_in_axioms((), [triple], self._known)
                    reasons = ". ".join([leftover.reason, *map(str, unknown)])
                    raise InputError(f"{leftover} is neither an axiom nor an assertion: {reasons}")
            facts += leftover.triples
        return frozenset(facts)

    @cached_property
    def _closure(self) -> AssertionClosure:
        return self._closure_under((*self.rules, *self.constraints))

    def _closure_of_assertions(self) -> AssertionClosure:
        """Return the closure of the assertions under the rules that can fire on them. This often excludes
        most rules.
        """
        rules = (*self.rules, *self.constraints)
        names = {(o, 1) if p in ONLY_TYPE else (p, 2) for _, p, o in self.background}
        asserted = (Symbol(name, arity) for name, arity in names if not isinstance(name, Literal))
        relevant = fireable_rules(rules, asserted)
        return self._closure if len(relevant) == len(rules) else self._closure_under(relevant)

    def _closure_under(self, rules: Iterable[Rule]) -> AssertionClosure:
        return AssertionClosure(rules, self.background, self._individuals, self._data_properties)

    @cached_property
    def _individuals(self) -> frozenset[Term]:
        """The declared individuals."""
        return frozenset(self._declared(_INDIVIDUAL))

    @cached_property
    def _data_properties(self) -> frozenset[Predicate]:
        """The declared data properties."""
        return frozenset(name for name in self._declared(_DATA_PROPERTY) if isinstance(name, URIRef))

    def _declared(self, types: frozenset[Term]) -> Iterator[Term]:
        return (s for s, p, o in self.triples if p in ONLY_TYPE and o in types)

    def _names(self) -> tuple[list[Predicate], list[Predicate]]:
        """Return the classes and the properties that are declared or occur in rules, sorted."""
        found: tuple[set[Predicate], set[Predicate]] = (set(), set())
        for subject, predicate, object_ in self.triples:
            if predicate == RDF.type and isinstance(subject, URIRef) and not is_defined(subject):
                if object_ in (OWL.Class, RDFS.Class):
                    found[0].add(subject)
                elif object_ in (OWL.ObjectProperty, OWL.DatatypeProperty):
                    found[1].add(subject)
        for rule in (*self.rules, *self.constraints):
            for atom in (*rule.body, *((rule.head,) if rule.head else ())):
                if not is_defined(atom.predicate):
                    found[len(atom.arguments) - 1].add(atom.predicate)
        return sorted(found[0]), sorted(found[1])

    @cached_property
    def predicates(self) -> frozenset[Predicate]:
        """The classes and properties that are declared or occur in rules."""
        return frozenset(name for made in self._names() for name in made)

    @cached_property
    def known_names(self) -> frozenset[Term] | None:
        """The IRIs in the ontology; None if it has no rules and constraints."""
        if not (self.rules or self.constraints):
            return None
        named = (term for triple in self.triples for term in triple if isinstance(term, URIRef))
        return self.predicates.union(named)

    def inconsistency_normal_form(self, depth: int = 3) -> InconsistencyNormalForm:
        """Return each constraint over asserted facts (PB26, Definition 9). Recursive constraints are shown up
        to `depth` rule applications.
        """
        check_type("depth", depth, int, "a whole number")
        return InconsistencyNormalForm.of(self.rules, self.constraints, depth)

    def sharding_report(
        self,
        streaming: Iterable[URIRef] | None = None,
        background: Graph | Iterable[Triple] | GraphFiles | None = None,
        unique_names: bool = True,
        keys: Iterable[Key] | None = None,
        numbers: Numbers = "by_datatype",
        colocated: Iterable[URIRef] = (),
    ) -> ShardingReport:
        """Report the keys by which a stream can be sharded without changing the derived facts.

        The cost is that of materializing the background; for each key it is linear in the background and the
        rules.

        Args:
            streaming: the classes and properties that the stream asserts. If None, all except those with
                assertions in the background and the properties of facts derived from it.
            background: as in `StreamReasoner`.
            unique_names: as in `StreamReasoner`.
            keys: the keys to check: `"subject"`, or properties of the background, such as `inBuilding`, whose
                value identifies the shard. If None, `"subject"` and all such properties.
            numbers: as in `StreamReasoner`; equal numbers are the same key.
            colocated: properties, such as `follows`, whose assertions in the stream connect only names of
                equal key, as you promise; `ShardingReport.refusal` checks it. The key `"subject"` ignores it.

        Raises:
            InconsistentOntologyError: ontology and background contradict each other.
            OptionError: `streaming`, `keys` or `colocated` has an invalid item.
        """
        whole, given = self.with_background(background)
        always = always_true(whole, given)
        foundation = Foundation.of(whole, always, unique_names, numbers)
        facts = frozenset(foundation.vocabulary.decode(foundation.model().facts()))
        theory = Theory.of((*whole.rules, *whole.constraints), unique_names)
        same = foundation.growing.same
        return sharding_report(theory, always, facts, same, streaming, keys, numbers, colocated)

    def with_background(
        self, background: Graph | Iterable[Triple] | pa.Table | GraphFiles | None
    ) -> tuple[Ontology, Iterable[Triple] | pa.Table | None]:
        """Return this ontology extended by the axioms in a background, and the facts of the background.

        If the background has no axioms, both are returned unchanged; this is tested on each triple, or on
        each distinct property and class of a table. Otherwise the ontology is compiled again together with
        the axioms.

        Raises:
            InvalidTripleError: an item of the background is not a triple.
            MissingFileError, MalformedInputError: a file of the background cannot be read.
            OptionError: the background is neither a graph nor triples nor a table nor a path.
            InconsistentOntologyError: ontology and axioms contradict each other.
        """
        documents = None if background is None else documents_at(background, "background")
        if documents is not None:
            return self.with_documents(documents)
        if is_table(background) and not table_has_axioms(background):
            return self, background
        triples = tuple(triples_of(background))
        if not has_axioms(triples):
            return self, triples
        prefixes = background.namespaces() if isinstance(background, Graph) else ()
        bound = {prefix: str(iri) for prefix, iri in prefixes}
        checked = tuple(map(check_triple, triples))
        return self.with_documents([Document(checked, None, bound, None)])

    def with_documents(self, documents: Iterable[Document]) -> tuple[Ontology, tuple[Triple, ...]]:
        """Return the result of `with_background` for documents. The origins of axioms name the documents'
        files.
        """
        given = tuple(documents)
        parts = [part for document in given if (part := axioms_of(document)) is not None]
        triples = dict.fromkeys(triple for document in given for triple in document.triples)
        if not parts:
            return self, tuple(triples)
        of_axioms = {triple for part in parts for triple in part.triples}
        of_axioms -= lists_of_facts(triples, of_axioms)
        facts = tuple(triple for triple in triples if triple not in of_axioms)
        read = self._read or DocumentSet((), (), ())
        joined = _consistent(_compiled(read.with_documents(parts), languages=self.languages))
        if self._read is None:
            joined = joined._with_rules_of(self)
        return joined, facts

    def _with_rules_of(self, other: Ontology) -> Ontology:
        """Return this ontology extended by the rules, constraints and background of `other`, which was
        created by `from_rules`.
        """
        both = replace(
            self,
            rules=without_duplicates((*other.rules, *self.rules)),
            constraints=without_duplicates((*other.constraints, *self.constraints)),
            background=other.background | self.background,
        )
        return _consistent(both)

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(
            Ontology, *(getattr(self, field.name) for field in fields(self) if field.name != "_lock")
        )


def load_ontology(
    source: object,
    *,
    catalog: Mapping[str, str | Path] | str | Path | None = None,
    imports: str = "error",
    format: str | None = None,
    strict: bool = False,
    language: str | Sequence[str] = "en",
) -> Ontology:
    """Read an ontology and its imports.

    Args:
        source: a path (Turtle, RDF/XML, N-Triples, JSON-LD, TriG; OWL/XML, functional or Manchester syntax),
            an `rdflib.Graph`, or an owlready2 ontology or world; a folder or a glob pattern, for all matching
            files; or a list of these. Several documents form one ontology.
        catalog: local copies of imports: a mapping from ontology IRI to path, a folder, or an XML catalog as
            written by Protégé. Nothing is fetched from the network. A `catalog-v001.xml` in the folder of the
            ontology is used by default, for files in that folder.
        imports: "error" or "skip": the treatment of an import that is not in the catalog.
        format: the format of `source`, if neither content nor file name determines it.
        strict: refuse an ontology with an axiom that has no effect, in whole or in part.
        language: the language of labels in texts, as a tag of BCP 47 such as `de` or `de-AT`, or several,
            the best first. Names without a label in these languages have one without a language, or any.

    Raises:
        InputError: the source cannot be read, or a folder or glob pattern has no ontology.
        MissingImportError: an import is not in a catalog.
        UnsupportedAxiomError: `strict` is set, and an axiom has no effect, in whole or in part.
        InconsistentOntologyError: the ontology contradicts itself.
        OptionError: `imports` or `language` is invalid.

    >>> ontology = load_ontology("ontologies/pedals.ttl", language=["de-AT", "en"])
    >>> len(ontology.rules), len(ontology.constraints), ontology.losses, ontology.languages
    (14, 1, (), ('de-at', 'de', 'en'))
    """
    return _consistent(
        ontology_for_report(
            source, catalog=catalog, imports=imports, format=format, strict=strict, language=language
        )
    )


def ontology_for_report(
    source: object,
    *,
    catalog: Mapping[str, str | Path] | str | Path | None = None,
    imports: str = "error",
    format: str | None = None,
    strict: bool = False,
    language: str | Sequence[str] = "en",
) -> Ontology:
    """Read an ontology like `load_ontology`, but return it even if it is inconsistent, so that all of its
    contradictions can be reported.
    """
    languages = languages_of(language)
    if imports not in ("error", "skip"):
        raise OptionError("imports", repr(imports), "'error' or 'skip'")
    read = read_with_imports(source, format, Imports.of(catalog, imports == "skip"))
    return _compiled(read, strict, languages)


def _compiled(read: DocumentSet, strict: bool = False, languages: tuple[str, ...] = ENGLISH) -> Ontology:
    """Translate documents to an ontology, which may be inconsistent.

    Raises:
        UnsupportedAxiomError: `strict` is set, and an axiom has no effect, in whole or in part.
    """
    reading = read_axioms(read.triples)
    definitions = datatype_definitions(reading.axioms)
    names = shown_names_of(read.triples, reading, read.prefixes)
    positions = read.positions((*reading.main_triples, *(left.triples[0] for left in reading.leftovers)))
    translations, report = disambiguate(
        lambda: translate_axioms(reading, definitions, positions, read, names), names
    )
    if strict and report.losses:
        labels = labels_of(read.triples, languages)
        raise UnsupportedAxiomError(
            disambiguate(lambda: [entry.text(labels) for entry in report.losses], names)
        )
    return Ontology(
        rules=without_duplicates(tuple(rule for t in translations for rule in t.rules)),
        constraints=without_duplicates(tuple(rule for t in translations for rule in t.constraints)),
        background=reading.assertions | {fact for t in translations for fact in t.facts},
        triples=read.triples,
        imports_skipped=read.skipped,
        prefixes=tuple(read.prefixes.items()),
        _report=report,
        _definitions=definitions,
        _read=read,
        languages=languages,
        _impossible=tuple(rule for t in translations for rule in t.contradictions),
    )


def _size_order(axioms: tuple[Origin, ...]) -> tuple[int, list[str]]:
    return len(axioms), [axiom.axiom for axiom in axioms]


def _written(
    triples: Iterable[Triple], reading: Reading | None, write: Callable[[Triple], str]
) -> Iterator[str]:
    """Yield the texts of a statement: its triples, or its axioms if blank nodes in it stand for
    expressions.
    """
    if reading is None or not any(isinstance(term, BNode) for triple in triples for term in triple):
        return map(write, triples)
    facts = (triple for triple in triples if triple in reading.assertions)
    return chain(map(str, reading.axioms), map(write, facts))


def _declares_a_name(triple: Triple) -> bool:
    return is_declaration(triple) and isinstance(triple[0], URIRef)


def _consistent(ontology: Ontology) -> Ontology:
    """Return the ontology. Raises `InconsistentOntologyError` if it is inconsistent under OWL's semantics,
    without unique names.
    """
    if ontology._contradictions:
        raise inconsistency(ontology._contradictions)
    return ontology
