"""Justifications beside those of the OWL API with HermiT, on small random ontologies inside OWL 2 RL.

A smallest justification is at most as large as the first one of the OWL API, and all justifications are equal
as sets of axioms. Where they differ, HermiT decides who is right, by the definition: a set of axioms is a
justification if it entails the question and no proper subset does, and none is missing if the question is no
longer entailed without any hitting set of those found.

Known differences of the OWL API 3.4: a set that does not mention each name of the question is extended until
it does, so its sets are not always minimal, and others are missed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, product

import pytest

import random_ontologies as random
from counts import seeds
from hermit import Hermit, UnansweredError, running
from justified import are_all
from pantarhei import Ontology, load_ontology
from pantarhei.errors import InconsistentOntologyError
from pantarhei.ontology.justification import assertion_of
from pantarhei.owl.axiom_mapping import read_axioms

SEEDS = seeds(6, 60, 1_000)

ASKED = ("SubClassOf", "DisjointClasses", "ObjectPropertyDomain", "ObjectPropertyRange", "ClassAssertion")
"""Kinds of questions that the OWL API explains."""

DEFINED = ("SubObjectPropertyOf", "SubDataPropertyOf", "ObjectPropertyAssertion", "SameIndividual")
"""Kinds of questions that only the definition explains."""

Sets = frozenset[frozenset[int]]


@pytest.fixture(scope="module")
def hermit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hermit]:
    with running(tmp_path_factory.mktemp("hermit")) as process:
        yield process


def drawn(seed: int, hermit: Hermit) -> tuple[tuple[random.Node, ...], Ontology]:
    """Return a consistent ontology without losses, rules, keys, and complex roles beside inverses.

    Enumerations of data are outside OWL 2 RL: HermiT counts their values.
    """
    generator = random.Generator(seed, rules_only=True)
    while True:
        size = generator.random.randint
        axioms = [generator.axiom() for _ in range(size(4, 9))]
        axioms += [
            (
                "SubClassOf",
                generator.pick(random.CLASSES),
                generator.pick((generator.class_, generator.right))(),
            )
            for _ in range(3)
        ]
        axioms = tuple(dict.fromkeys([*axioms, *(generator.assertion() for _ in range(size(0, 3)))]))
        found = random.constructors(axioms)
        inverses = {"ObjectInverseOf", "InverseObjectProperties"} & found
        if random.is_outside_dl(axioms) or {"DLSafeRule", "HasKey", "DataOneOf"} & found:
            continue
        if random.complex_roles(axioms) and inverses:
            continue
        try:
            ontology = load_ontology(random.graph(axioms))
            if not ontology.losses and hermit.is_consistent(axioms):
                return axioms, ontology
        except (InconsistentOntologyError, UnansweredError):
            continue


def questions(axioms: tuple[random.Node, ...], ontology: Ontology) -> Iterator[random.Node]:
    """Yield the entailed questions that are no axioms themselves."""
    for question in chain(random.ground_questions(axioms), random.schema_questions()):
        is_asked = question[0] in (*ASKED, *DEFINED) and question not in axioms
        if is_asked and ontology.entails(random.triples([question])):
            yield question


def ours(
    axioms: tuple[random.Node, ...], ontology: Ontology, question: random.Node
) -> tuple[Sets, int, bool]:
    """Return all justifications as indexes of axioms, the size of the first one, and true if they are all.

    An axiom that is drawn twice, in two orders of its operands, has two indexes with one text.
    """
    numbers: dict[str, set[int]] = {}
    for number, axiom in enumerate(axioms):
        for text in written(axiom):
            numbers.setdefault(text, set()).add(number)
    triples = random.triples([question])
    found = ontology.explain(triples, all=True)
    ways = (product(*(numbers[each.axiom] for each in one)) for one in found.justifications)
    sets = frozenset(frozenset(way) for way in chain.from_iterable(ways))
    return sets, len(ontology.explain(triples).justifications[0]), found.complete


def written(axiom: random.Node) -> list[str]:
    """Return the text of an axiom, or of its assertion."""
    reading = read_axioms(list(random.graph([axiom])))
    return [*map(str, reading.axioms), *(assertion_of(fact).axiom for fact in reading.assertions)]


def is_right(hermit: Hermit, axioms: tuple[random.Node, ...], question: random.Node, sets: Sets) -> bool:
    """Return whether these are all justifications, by the definition."""

    def follows(numbers: frozenset[int]) -> bool:
        hermit.is_consistent(tuple(axioms[number] for number in sorted(numbers)))
        return hermit.entails(question)

    return are_all(sets, range(len(axioms)), follows)


def compare(hermit: Hermit, axioms: tuple[random.Node, ...], ontology: Ontology) -> Counter[str]:
    """Compare the justifications of each question; return the numbers of the outcomes."""
    outcomes: Counter[str] = Counter()
    for question in questions(axioms, ontology):
        mine, first, complete = ours(axioms, ontology, question)
        assert complete
        assert first == min(map(len, mine)), question
        try:
            hermit.is_consistent(axioms)
            theirs = hermit.justifications(question) if question[0] in ASKED else None
            outcomes["explained"] += 1
            outcomes["several"] += len(mine) > 1
            if theirs:
                assert first <= len(theirs[0]), question
                outcomes["smaller first"] += first < len(theirs[0])
            if theirs is not None and frozenset(theirs) == mine:
                outcomes["equal"] += 1
            else:
                assert is_right(hermit, axioms, question, mine), question
                outcomes["by definition" if theirs is None else _difference(mine, frozenset(theirs))] += 1
        except UnansweredError as error:
            outcomes[f"unanswered: {error}"] += 1
    return outcomes


def _difference(mine: Sets, theirs: Sets) -> str:
    """Return what is wrong with the other justifications, if these are all."""
    if any(one < other for one in mine for other in theirs):
        return "theirs are not minimal"
    return "theirs are not all" if theirs < mine else "theirs are wrong"


@pytest.mark.parametrize("seed", SEEDS)
def test_justifications_are_all_minimal_sets(hermit: Hermit, seed: int) -> None:
    compare(hermit, *drawn(seed, hermit))
