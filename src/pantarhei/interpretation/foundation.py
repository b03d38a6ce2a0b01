"""Foundation shared by all timestamps: compiled rules, background, and the numbers of their terms.

A reasoner has a foundation, and each worker that materializes ABoxes for the reasoner has a copy. Foundations
built from equal ontology, background and options assign equal numbers. Terms that arrive later are numbered
by each copy independently.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, get_args, runtime_checkable

from rdflib import OWL, Graph

from pantarhei.encoding.numbers import Encoded, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import check_choice, check_type
from pantarhei.materialize.model import Keep, WindowModel
from pantarhei.model.labels import Labels
from pantarhei.model.message_text import counted
from pantarhei.model.rule import Rule
from pantarhei.model.term import Term, Triple, check_triple, in_order
from pantarhei.proofs.extraction import proofs_of_violations
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import Assertion
from pantarhei.rdf.ntriples import exactly, write_triple
from pantarhei.rdf.triple_table import triples_of
from pantarhei.repair.consistency import Contradiction, contradictions_of_background, refuse_violations
from pantarhei.repair.result import ConflictList
from pantarhei.rules.compilation.program import GrowingProgram, Program, groups_of_same
from pantarhei.rules.translation.canonical_rule import fingerprint_of_rules
from pantarhei.rules.translation.demand import Theory
from pantarhei.values.by_value import Numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from pantarhei.owl.graph_files import GraphFiles


@runtime_checkable
class Axioms(Protocol):
    """Interface of an ontology from which a foundation is built."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules."""

    @property
    def constraints(self) -> tuple[Rule, ...]:
        """The constraints."""

    @property
    def background(self) -> frozenset[Triple]:
        """The assertions of the ontology."""

    def with_background(
        self, background: Graph | Iterable[Triple] | pa.Table | GraphFiles | None
    ) -> tuple[Axioms, Iterable[Triple] | pa.Table | None]:
        """Return the axioms including those in a background, and the facts of the background."""


class FoundationCounts(NamedTuple):
    """Counts of a foundation's symbols, names and literals, which have equal numbers in all copies.

    Args:
        symbols: classes and properties.
        names: IRIs and blank nodes of individuals.
        literals: values of literals.
    """

    symbols: int
    names: int
    literals: int


@dataclass(frozen=True)
class Foundation:
    """Growing program with the encoded background; pickles (for Brick to 1.4 MB).

    Args:
        growing: the program.
        background: the assertions of the ontology and of the further background, without consequences.
        common: the initial size of the vocabulary.
        unique_names: true if different names denote different individuals.
        numbers: comparison of numbers, see `values.by_value`.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> import pickle
    >>> sent = pickle.loads(pickle.dumps(reasoner.foundation))  # to another process
    >>> len(pr.ABoxMaterializer(sent).materialize([gas]).facts)
    3
    """

    growing: GrowingProgram
    background: Encoded
    common: FoundationCounts
    unique_names: bool
    numbers: Numbers = "by_datatype"

    @classmethod
    def of(
        cls,
        ontology: Axioms,
        background: Graph | Iterable[Triple] | pa.Table | GraphFiles | None = None,
        unique_names: bool = True,
        numbers: Numbers = "by_datatype",
    ) -> Foundation:
        """Build the foundation of an ontology with a further background, including axioms in the background.

        Costs the compilation of the rules.

        Raises:
            InvalidTripleError: an item of `background` is not a triple.
            OptionError: `ontology` is not an ontology, `background` is neither a graph nor triples nor a
                table, or `numbers` has an invalid value.
        """
        check_choice("numbers", numbers, get_args(Numbers))
        check_type("ontology", ontology, Axioms, "an ontology from load_ontology")
        ontology, background = ontology.with_background(background)
        always = always_true(ontology, background)
        same = groups_of_same(always) if unique_names else ()
        theory = Theory.of((*ontology.rules, *ontology.constraints), unique_names=unique_names)
        growing = GrowingProgram(theory, same, numbers)
        asks = any(atom.predicate == OWL.sameAs for rule in ontology.rules for atom in rule.body)
        encoded = growing.vocabulary.encode(_without_merged(in_order(always), () if asks else same))
        if not growing.covers(encoded.facts):
            growing.grow(encoded.facts)
        return cls(growing, encoded, FoundationCounts(*growing.vocabulary.counts), unique_names, numbers)

    def __repr__(self) -> str:
        rules, facts = counted(len(self.growing.theory.rules), "rule"), len(self.background.facts)
        return f"Foundation({rules}, {counted(facts, 'background fact')}, unique_names={self.unique_names})"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(
            Foundation, self.growing, self.background, self.common, self.unique_names, self.numbers
        )

    @property
    def vocabulary(self) -> Vocabulary:
        """Vocabulary of the program."""
        return self.growing.vocabulary

    def model(
        self, keep: Keep = "newest", first_level: int = 0, program: Program | None = None
    ) -> WindowModel:
        """Build a window model with the background and its consequences. Costs a materialization of the
        background.

        Args:
            keep: see `WindowModel`.
            first_level: see `WindowModel`.
            program: a part of the program that includes all constraints; None for the whole program.

        Raises:
            InconsistentOntologyError: the background violates a constraint.
        """
        model = self._unchecked_model(keep, first_level, program)
        refuse_violations(model, self.background.facts)
        return model

    def contradictions(self) -> ConflictList[Contradiction]:
        """Return the contradictions of the background. Costs a materialization of the background."""
        return contradictions_of_background(self._unchecked_model(), self.background.facts)

    def _unchecked_model(
        self, keep: Keep = "newest", first_level: int = 0, program: Program | None = None
    ) -> WindowModel:
        """Build a model as `model` does, which may violate constraints."""
        self.vocabulary.adopt(
            self.growing.program
        )  # no change, unless a growth of the program was interrupted
        model = WindowModel(program or self.growing.program, keep, self.vocabulary, first_level)
        model.add_background(self.background.facts)
        return model

    @cached_property
    def digest(self) -> str:
        """Hash of all that two foundations must have in common, so that numbers denote the same terms in
        both.
        """
        numbers, common = self.vocabulary, self.common
        parts = [f"unique names: {self.unique_names}", f"numbers: {self.numbers}"]
        parts += [f"{symbol.arity} {symbol.name}" for symbol in numbers.symbols[: common.symbols]]
        parts += [term.n3() for term in numbers.names[: common.names]]
        parts += [term.n3() for term in numbers.literals[: common.literals]]
        parts += (f"one: {' '.join(name.n3() for name in group)}" for group in self.growing.same)
        parts.append(fingerprint_of_rules(self.growing.theory.rules))
        return hashlib.sha256("\n".join(parts).encode() + self.background.facts.tobytes()).hexdigest()


def always_true(ontology: Axioms, background: Graph | Iterable[Triple] | pa.Table | None) -> set[Triple]:
    """Return the assertions of an ontology and of a further background.

    Raises:
        InvalidTripleError: an item of `background` is not a triple.
        OptionError: `background` is neither a graph nor triples nor a table.
    """
    given = map(check_triple, triples_of(background))
    return {*ontology.background, *given}


def _without_merged(triples: Iterable[Triple], same: Iterable[Iterable[Term]]) -> list[Triple]:
    """Return the triples without `owl:sameAs` between names that the program has merged."""
    merged = {name for group in same for name in group}
    return [t for t in triples if not (t[1] == OWL.sameAs and t[0] in merged and t[2] in merged)]


# Maximum number of terms of earlier proofs.
_MOST_TERMS = 100_000


class Prover:
    """Prover of contradictions, with a model of its own: the background and, during a proof, the assertions.

    Thread-safe. It does not change the state of a reasoner.

    Args:
        foundation: builds a foundation for the prover; called at the first proof.
        labels: returns the labels of names.
    """

    def __init__(self, foundation: Callable[[], Foundation], labels: Callable[[], Labels] = dict) -> None:
        self._make, self._labels_of = foundation, labels
        self._foundation: Foundation | None = None
        self._model: WindowModel | None = None
        self._level = 0
        self._lock = threading.Lock()

    @property
    def labels(self) -> Labels:
        """The names shown for IRIs."""
        return self._labels_of()

    def __call__(self, assertions: Iterable[Assertion], constraints: Iterable[Rule]) -> tuple[Proof, ...]:
        """Return a shortest proof of ⊥ for each constraint that the assertions and the background violate.

        Costs the closure of the assertions, and at the first call a materialization of the background.
        """
        given = sorted(assertions, key=lambda assertion: write_triple(assertion[1]))
        with self._lock:
            found = self._found(given)
        labels = self.labels
        return tuple(found[each].labelled(labels) for each in constraints if each in found)

    def _found(self, assertions: list[Assertion]) -> dict[Rule, Proof]:
        if self._foundation is None:
            self._foundation = self._make()
        encoded = self._foundation.vocabulary.encode(triple for _, triple in assertions)
        model = self._model_for(self._foundation, encoded)
        asserted = dict(zip(as_tuples(encoded.facts), assertions, strict=True))
        self._model = None  # discarded if a proof is interrupted
        self._level += 1
        previous = model.add(encoded.facts, self._level)
        found = proofs_of_violations(model, asserted)
        model.withdraw(encoded.facts, previous, self._level)
        model.take_changes()
        if self._foundation.vocabulary.size > sum(self._foundation.common) + _MOST_TERMS:
            self._foundation = None  # discard the terms of earlier proofs
        else:
            self._model = model
        return found

    def _model_for(self, foundation: Foundation, encoded: Encoded) -> WindowModel:
        """Return the model of the background, with all rules that the facts require."""
        if not foundation.growing.covers(encoded.facts):
            foundation.growing.grow(encoded.facts)
            self._model = None
        return foundation.model() if self._model is None else self._model
