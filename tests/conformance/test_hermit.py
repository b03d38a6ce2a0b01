"""Agreement with HermiT, a complete OWL 2 DL reasoner, on small random ontologies.

HermiT comes with owlready2. It is asked in functional-style syntax and we are in triples, so that reading is
compared as well. Sound: what we refuse is inconsistent, and what we say is entailed is. Complete: so the
other way round where nothing of the ontology is lost.

Left out, where HermiT is known to err or a question has no single answer:

- literals are given to it in one form for each value, since it takes "01" and "1" for two numbers;
- ontologies with complex roles (of chains, transitive) that are not OWL 2 DL, or that are together with
  inverses, which it does not see through (p ≡ q⁻, p symmetric, q transitive);
- its errors, of which some come and go (ConcurrentModificationException);
- what it says of a whole class where there are rules or keys: both speak of named individuals only, and a
  schema question is about unnamed ones;
- what only counting the elements of an enumeration or a data range gives: no OWL 2 RL, and no rule.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import random_ontologies as random
from counts import seeds
from hermit import Hermit, UnansweredError, running
from pantarhei import Ontology, StreamReasoner, Window, load_ontology
from pantarhei.errors import InconsistentOntologyError

SEEDS = seeds(12, 200)


@pytest.fixture(scope="module")
def hermit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hermit]:
    with running(tmp_path_factory.mktemp("hermit")) as process:
        yield process


def drawn(seed: int) -> tuple[random.Node, ...]:
    """The ontology of a seed; four of five keep to what OWL 2 RL admits on each side of an inclusion."""
    axioms = random.Generator(seed, rules_only=seed % 5 != 0).ontology()
    if random.is_outside_dl(axioms):
        pytest.skip("a complex role where OWL 2 DL admits only simple ones")
    if random.complex_roles(axioms) and random.constructors(axioms) & {
        "ObjectInverseOf",
        "InverseObjectProperties",
    }:
        pytest.skip("HermiT does not see through inverses of complex roles")
    return axioms


def loaded(axioms: tuple[random.Node, ...]) -> Ontology | None:
    """The ontology, or None if it is refused."""
    try:
        return load_ontology(random.graph(axioms))
    except InconsistentOntologyError:
        return None


@pytest.mark.parametrize("seed", SEEDS)
def test_loading_refuses_what_is_inconsistent(hermit: Hermit, seed: int) -> None:
    axioms = drawn(seed)
    ontology = loaded(axioms)
    try:
        consistent = hermit.is_consistent(axioms)
    except UnansweredError as error:
        pytest.skip(f"HermiT: {error}")
    assert ontology is not None or not consistent
    if ontology is not None and not ontology.report().losses:
        assert consistent


@pytest.mark.parametrize("seed", SEEDS)
def test_answers_are_sound_and_where_nothing_is_lost_complete(hermit: Hermit, seed: int) -> None:
    axioms = drawn(seed)
    ontology = loaded(axioms)
    if ontology is None:
        pytest.skip("inconsistent: everything is entailed")
    try:
        hermit.is_consistent(axioms)
    except UnansweredError as error:
        pytest.skip(f"HermiT: {error}")
    lossless = not ontology.report().losses
    for question in questions(axioms):
        ours = ontology.entails(random.triples([question]))
        if not ours and not lossless:
            continue
        try:
            assert ours is hermit.entails(question), question
        except UnansweredError:
            continue


def questions(axioms: tuple[random.Node, ...]) -> Iterator[random.Node]:
    """Every assertion over the names, and every axiom between them where no rule and no key is."""
    yield from random.ground_questions(axioms)
    if not {"DLSafeRule", "HasKey"} & random.constructors(axioms):
        yield from random.schema_questions()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_pushed_abox_entails_what_it_does_in_the_ontology(hermit: Hermit, seed: int) -> None:
    axioms = drawn(seed)
    abox = [axiom for axiom in axioms if random.is_fact(axiom)]
    schema = loaded(tuple(axiom for axiom in axioms if axiom not in abox))
    if schema is None or schema.report().losses:
        pytest.skip("inconsistent without the facts, or something is lost")
    reasoner = StreamReasoner(schema, Window(range=10), unique_names=False)
    update = reasoner.push(1, random.triples(abox))
    try:
        assert hermit.is_consistent(axioms) is not bool(update.repair.removed)
        if update.repair.removed:
            return
        materialized = reasoner.materialization()
        present = {term for triple in materialized for term in triple}
        for question in random.ground_questions(axioms):
            named = {leaf for leaf in question[1:] if leaf in random.INDIVIDUALS}
            if question[0] == "DifferentIndividuals" or not named <= present:
                continue
            assert _is_in(materialized, question) is hermit.entails(question), question
    except UnansweredError as error:
        pytest.skip(f"HermiT: {error}")


def _is_in(materialized: set[tuple], question: random.Node) -> bool:
    """Whether an assertion stands in the materialization, in whatever form of its literal."""
    [(subject, predicate, value)] = random.triples([question])
    found = {(s, p, random.canonical(o)) for s, p, o in materialized}
    return (subject, predicate, random.canonical(value)) in found
