"""Entailed axioms with their proofs, and entailment of whole graphs with blank nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import chain, islice
from typing import Any

from rdflib import OWL, RDF, BNode, Graph, Literal, URIRef, Variable

from pantarhei.errors import OptionError
from pantarhei.model.graphs import grouped
from pantarhei.model.labels import Labels
from pantarhei.model.representation import short_repr
from pantarhei.model.rule import Argument, Origin
from pantarhei.model.term import Term, Triple, in_order
from pantarhei.ontology.closure import AssertionClosure
from pantarhei.ontology.entailment_checker import EntailmentChecker
from pantarhei.ontology.justification import Justification, SupportSearch, Verdict
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import Axiom, rewritten
from pantarhei.owl.axiom_mapping import Reading
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.renderers import JsonObject, joined
from pantarhei.proofs.svg import below_one_another
from pantarhei.rdf.ntriples import exactly


@dataclass(frozen=True)
class Entailment:
    """Entailed axiom with its proofs, in which the condition of the axiom is supposed.

    Args:
        statement: the axiom as a sentence.
        proofs: one proof for each part of the axiom that needs a proof; empty for a tautology. They use the
            axioms of the first justification.
        justifications: the minimal sets of axioms and assertions that entail the axiom, smallest first; only
            the first one unless all are requested.
        complete: no further justification exists. If false, the budget was exceeded, or only one was
            requested.

    >>> import pantarhei as pr
    >>> from rdflib import RDFS, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> ontology = pr.load_ontology("ontologies/pedals.ttl")
    >>> entailment = ontology.explain((EX.GasPedalPressed, RDFS.subClassOf, EX.Car))
    >>> len(entailment.axioms)
    3
    """

    statement: str
    proofs: tuple[Proof, ...]
    justifications: tuple[Justification, ...] = ()
    complete: bool = False

    __repr__ = short_repr

    @classmethod
    def of(
        cls, statement: str, justifications: Iterable[Justification], complete: bool, labels: Labels
    ) -> Entailment:
        """Return the entailment with these justifications, of which there is at least one."""
        found = tuple(each.labelled(labels) for each in justifications)
        return cls(statement, found[0].proofs, found, complete)

    @property
    def axioms(self) -> tuple[Origin, ...]:
        """The axioms used by the proofs, with their positions in files, in order and without duplicates."""
        return tuple(dict.fromkeys(axiom for proof in self.proofs for axiom in proof.axioms))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        several = len(self.justifications) > 1
        yield (
            f"{self.statement}, for {len(self.justifications)} reasons:" if several else f"{self.statement}:"
        )
        for number, each in enumerate(self._each, 1):
            if several:
                yield f"\nJustification {number} of {len(self.justifications)}, {each.size_text}:"
            yield from map(str, each.proofs or ("It is a tautology, which every ontology entails.",))
        if several and not self.complete:
            yield "\nThe budget was reached: there may be further justifications."

    @property
    def _each(self) -> tuple[Justification, ...]:
        return self.justifications or (Justification((), self.proofs),)

    @property
    def _all_proofs(self) -> list[Proof]:
        return [proof for each in self._each for proof in each.proofs]

    def to_json(self) -> JsonObject:
        """Return the statement, its proofs and its justifications as a dictionary for `json.dumps`.

        Keys: `text`; `complete`; `proofs`, those of the first justification, each as `Proof.to_json`; and
        `justifications`, each with `axioms` (`text` in functional-style syntax, `manchester`, and `file`,
        `line` and `subject` as far as known) and `proofs`.
        """
        return {
            "text": self.statement,
            "complete": self.complete,
            "proofs": [proof.to_json() for proof in self.proofs],
            "justifications": [each.to_json() for each in self.justifications],
        }

    def to_rdf(self) -> Graph:
        """Return all proofs as a graph in W3C PROV-O, as `Proof.to_rdf`."""
        return joined(proof.to_rdf() for proof in self._all_proofs)

    def to_dot(self) -> str:
        """Return all proofs as Graphviz graphs, one after another."""
        return "".join(proof.to_dot() for proof in self._all_proofs)

    def to_svg(self) -> str:
        """Return a picture of the proofs, below one another.

        Raises:
            OptionError: the axiom is a tautology, which has no proof.
        """
        pictures = [proof.to_svg() for proof in self._all_proofs]
        if not pictures:
            expected = "an axiom with a proof (a tautology holds in every ontology and has none)"
            raise OptionError("explain", repr(self.statement), expected)
        return pictures[0] if len(pictures) == 1 else below_one_another(pictures, self.statement)

    def _repr_html_(self) -> str:
        """Return HTML, which Jupyter notebooks display: the justifications with their proofs, which can be
        folded.
        """
        return "".join(self._html())

    def _html(self) -> Iterator[str]:
        several = len(self.justifications) > 1
        yield f'<div class="pantarhei-entailment"><p>{escape(self.statement)}</p>'
        for number, each in enumerate(self._each, 1):
            if several:
                yield f"<p>Justification {number} of {len(self.justifications)}</p>"
            yield from (proof._repr_html_() for proof in each.proofs)
            if not each.proofs:
                yield "<p>It is a tautology, which every ontology entails.</p>"
        yield "</div>"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Entailment, self.statement, self.proofs, self.justifications, self.complete)


# Largest number of choices of names tried for blank nodes that occur only in axioms.
_MOST_GUESSES = 10_000

_Binding = Mapping[Variable, Term]
_Pattern = tuple[Argument, Term, Argument]


def entails_reading(
    closure: AssertionClosure,
    reading: Reading,
    proofs: list[Proof] | None = None,
    search: SupportSearch | None = None,
) -> Verdict:
    """Return the justifications of all axioms and assertions of `reading`; `FAILS` if the closure does not
    entail them. Blank nodes are existential variables.

    Args:
        proofs: a list to which the proofs are appended; None if they are not needed.
        search: as in `EntailmentChecker`.

    Raises:
        BudgetExceeded: the search for justifications exceeds its budget.
    """
    names = (term for axiom in reading.axioms for term in _individuals(axiom))
    stated = (term for subject, _, object_ in reading.assertions for term in (subject, object_))
    with closure.assuming(closure.about(t for t in (*names, *stated) if not isinstance(t, BNode))):
        return _verdict(EntailmentChecker(closure, proofs=proofs, search=search), reading)


def _verdict(checker: EntailmentChecker, reading: Reading) -> Verdict:
    with_blank_nodes = dict.fromkeys(axiom for axiom in reading.axioms if _blank_nodes(axiom))
    plain = (checker.entails(axiom) for axiom in reading.axioms if axiom not in with_blank_nodes)
    assertions = in_order(reading.assertions)
    ground = (_holds(checker, triple) for triple in assertions if not _has_blank_node(triple))
    patterns = [(_opened(s), p, _opened(o)) for s, p, o in assertions if _has_blank_node((s, p, o))]
    statements: list[_Pattern | Axiom] = [*patterns, *with_blank_nodes]
    parts = (_are_satisfiable(checker, part) for part in grouped(statements, _variables))
    return checker.all(chain(plain, ground, parts))


def _variables(statement: _Pattern | Axiom) -> set[Variable]:
    if isinstance(statement, tuple):
        return {term for term in statement if isinstance(term, Variable)}
    return {Variable(node) for node in _blank_nodes(statement)}


def _are_satisfiable(checker: EntailmentChecker, statements: list[_Pattern | Axiom]) -> Verdict:
    """Return the justifications of all statements, with any names for the variables."""
    patterns = [statement for statement in statements if isinstance(statement, tuple)]
    axioms = [statement for statement in statements if not isinstance(statement, tuple)]
    in_patterns = set[Variable]().union(*map(_variables, patterns))
    unbound = set[Variable]().union(*map(_variables, axioms)) - in_patterns
    return checker.any(
        checker.all(
            chain(
                (_holds(checker, (_named(s, complete), p, _named(o, complete))) for s, p, o in patterns),
                (checker.entails(_with_names(axiom, complete)) for axiom in axioms),
            )
        )
        for binding in _matches(checker, patterns)
        for complete in islice(_completed(checker.closure, sorted(unbound), binding), _MOST_GUESSES)
    )


def _named(term: Argument, binding: _Binding) -> Term:
    return binding[term] if isinstance(term, Variable) else term


def _holds(checker: EntailmentChecker, triple: Triple) -> Verdict:
    subject, predicate, object_ = triple
    if predicate == RDF.type:
        return checker.is_member(subject, owl.Class(URIRef(object_)))
    return checker.is_member(subject, owl.HasValue(owl.Property(URIRef(predicate)), object_))


def _has_blank_node(triple: Triple) -> bool:
    return isinstance(triple[0], BNode) or isinstance(triple[2], BNode)


def _opened(term: Term) -> Argument:
    """Replace a blank node of the graph by a variable. Blank nodes of the closure are names."""
    return Variable(term) if isinstance(term, BNode) else term


def _blank_nodes(axiom: Axiom) -> list[BNode]:
    """Return the individuals of an axiom that are blank nodes."""
    return [term for term in _individuals(axiom) if isinstance(term, BNode)]


def _individuals(axiom: Axiom) -> tuple[Term, ...]:
    match axiom:
        case owl.ClassAssertion(_, individual):
            return (individual,)
        case owl.SameIndividual(individuals) | owl.DifferentIndividuals(individuals):
            return individuals
        case owl.NegativePropertyAssertion(_, subject, object_):
            return (subject, object_)
    return ()


def _with_names(axiom: Axiom, binding: _Binding) -> Axiom:
    """Return the axiom with its blank nodes replaced by their names in `binding`."""
    return rewritten(axiom, lambda part: binding.get(Variable(part)) if isinstance(part, BNode) else None)


def _matches(checker: EntailmentChecker, patterns: list[_Pattern]) -> Iterator[_Binding]:
    """Yield the bindings with which all patterns are entailed. The pattern with the fewest unbound variables
    is matched next.
    """
    waiting: list[tuple[list[_Pattern], _Binding]] = [(patterns, {})]
    while waiting:
        left, binding = waiting.pop()
        if not left:
            yield binding
            continue
        bound = [(_bound(s, binding), p, _bound(o, binding)) for s, p, o in left]
        chosen = min(range(len(bound)), key=lambda i: sum(isinstance(term, Variable) for term in bound[i]))
        rest = [pattern for i, pattern in enumerate(left) if i != chosen]
        waiting += [(rest, {**binding, **found}) for found in _found(checker, bound[chosen])]


def _found(checker: EntailmentChecker, pattern: _Pattern) -> list[_Binding]:
    """Return the bindings with which one pattern is entailed."""
    subject, predicate, object_ = pattern
    if not isinstance(subject, Variable) and not isinstance(object_, Variable):
        return [{}] if _holds(checker, (subject, predicate, object_)) else []
    if predicate == RDF.type and object_ == OWL.Thing:
        everyone = _names(checker.closure.match(None, None, None))
        triples: list[Triple] = [(name, RDF.type, OWL.Thing) for name in everyone]
    else:
        triples = list(checker.closure.match(_given(subject), predicate, _given(object_)))
    return [
        {v: t for v, t in ((subject, who), (object_, what)) if isinstance(v, Variable)}
        for who, _, what in triples
        if subject != object_ or who == what
    ]


def _bound(term: Argument, binding: _Binding) -> Argument:
    return binding.get(term, term) if isinstance(term, Variable) else term


def _given(term: Argument) -> Term | None:
    return None if isinstance(term, Variable) else term


def _completed(closure: AssertionClosure, unbound: list[Variable], binding: _Binding) -> Iterator[_Binding]:
    """Yield the binding extended by each choice of names for the unbound variables."""
    if not unbound:
        yield binding
        return
    first, *rest = unbound
    for name in _names(closure.match(None, None, None)):
        yield from _completed(closure, rest, {**binding, first: name})


def _names(triples: Iterable[Triple]) -> list[Term]:
    named = (term for s, p, o in triples for term in ((s,) if p == RDF.type else (s, o)))
    return list(dict.fromkeys(term for term in named if not isinstance(term, Literal)))
