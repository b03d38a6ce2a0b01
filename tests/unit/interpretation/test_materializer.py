"""Interpretations made apart from a window: what they hold, how they travel, and by what they are known."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, Graph, Literal, Variable

from counts import cases
from oracle.canonical_literals import canonical_triple
from oracle.conflicts import conflict_sets
from oracle.materialization import closure
from pantarhei import MissingFileError, Ontology, OptionError, StreamReasoner, Window
from pantarhei.errors import InvalidTripleError
from pantarhei.interpretation import materializer
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import InterpretationTables
from pantarhei.interpretation.materializer import ABoxMaterializer, CanonicalModelBuilder
from pantarhei.model.rule import Atom, Rule
from pantarhei.rdf.ntriples import parse_term
from strategies import EX, A, B, C, R, V, is_a, member, related, worlds
from strategies import x as x_of_strategies
from strategies import y as y_of_strategies
from worlds import subsets

RULES = [
    Rule("sub", (is_a(A, x_of_strategies),), is_a(B, x_of_strategies)),
    Rule("range", (related(R, x_of_strategies, y_of_strategies),), is_a(A, y_of_strategies)),
    Rule(
        "copy",
        (related(V, x_of_strategies, y_of_strategies),),
        related(EX.W, x_of_strategies, y_of_strategies),
    ),
    Rule("disjoint", (is_a(B, x_of_strategies), is_a(C, x_of_strategies)), None),
]
ONTOLOGY = Ontology.from_rules(RULES)


def triples_of(table):
    """(asserted, derived)"""
    found = (set(), set())
    for *texts, derived in zip(*table.to_pydict().values(), strict=True):
        found[derived].add(tuple(map(parse_term, texts)))
    return found


@settings(max_examples=cases(25, 150), deadline=None)
@given(world=worlds(), choices=st.lists(subsets, min_size=1, max_size=4))
def test_an_interpretation_is_the_closure_of_its_abox_with_its_conflicts(world, choices):
    rules, background, pool = world
    foundation = Foundation.of(Ontology.from_rules(rules), background)
    worker, texts = ABoxMaterializer(foundation), InterpretationTables(foundation)
    always = frozenset(map(canonical_triple, background))
    closed = closure(rules, always)
    for choice in choices:  # one after another: none sees what the others left
        abox = {canonical_triple(pool[i]) for i in choice}
        made = worker.materialize(sorted(abox))
        asserted, derived = (set(map(canonical_triple, part)) for part in triples_of(texts.table(made)))
        assert asserted == abox
        assert derived == closure(rules, always | abox) - closed - abox
        facts = [canonical_triple(tuple(map(parse_term, row[:3]))) for row in rows_of(texts.table(made))]
        assert {frozenset((0, facts[place]) for place in conflict) for conflict in made.conflicts} == (
            conflict_sets(rules, frozenset((0, fact) for fact in abox), always)
        )
        assert made.contradictory == bool(made.conflicts)


def rows_of(table):
    return list(zip(*table.to_pydict().values(), strict=True))


def test_a_worker_that_forgets_terms_goes_on_alike(monkeypatch):
    aboxes = [[(EX[f"x{n}"], R, EX[f"y{n}"]), member(C, EX[f"y{n}"])] for n in range(20)]
    usual, forgetful = (ABoxMaterializer(Foundation.of(ONTOLOGY)) for _ in "12")
    expected = [pickle.dumps(usual.materialize(abox)) for abox in aboxes]
    monkeypatch.setattr(materializer, "MOST_TERMS", 5)
    assert [pickle.dumps(forgetful.materialize(abox)) for abox in aboxes] == expected
    assert len(forgetful._vocabulary.names) < 10 < len(usual._vocabulary.names)


def test_a_worker_forgets_classes_and_properties_too(monkeypatch):
    aboxes = [[(EX.x, EX[f"p{n}"], EX.y), (EX.x, RDF.type, EX[f"C{n}"])] for n in range(40)]
    usual, forgetful = (ABoxMaterializer(Foundation.of(ONTOLOGY)) for _ in "12")
    expected = [pickle.dumps(usual.materialize(abox)) for abox in aboxes]
    common = sum(forgetful.common)
    monkeypatch.setattr(materializer, "MOST_TERMS", common + 10)
    assert [pickle.dumps(forgetful.materialize(abox)) for abox in aboxes] == expected
    assert sum(forgetful._vocabulary.counts) <= common + 14 < sum(usual._vocabulary.counts)


def test_an_abox_between_two_parts_does_not_change_what_the_parts_mean(monkeypatch):
    """Though for its sake what the parts are numbered with is forgotten."""
    monkeypatch.setattr(materializer, "MOST_TERMS", 2)
    foundation = Foundation.of(ONTOLOGY)
    texts, worker = InterpretationTables(foundation), ABoxMaterializer(foundation)
    subjects = [EX[f"i{number}"] for number in range(4)]
    columns = ([term.n3() for term in terms] for terms in (subjects, [RDF.type] * 4, [A] * 4))
    table = pa.table(dict(zip(("subject", "predicate", "object"), columns, strict=True)))
    met = []
    for part in worker.materialize_parts(table, range(5)):
        met.append(texts.table(part).to_pydict()["subject"])
        worker.materialize([member(A, EX.between), member(A, EX.other)])
    assert met == [[subject.n3()] * 2 for subject in subjects]


def test_an_abox_counts_each_fact_once_though_levels_are_counted_anew():
    worker = ABoxMaterializer(Foundation.of(ONTOLOGY))
    worker._models._model.renumber_at = 9
    for _ in range(30):
        made = worker.materialize([member(A, EX.a), member(A, EX.a)])
        assert (made.asserted, len(made.facts)) == (1, 2)


def test_parts_of_a_table_and_tables_of_one_abox_come_out_alike():
    graph = Graph()
    for triple in [(EX.a, R, EX.b), member(EX.New, EX.b), (EX.a, EX.new, Literal("x", datatype=XSD.integer))]:
        graph.add(triple)
    columns = list(zip(*[tuple(term.n3() for term in triple) for triple in sorted(graph)], strict=True))
    table = pa.table(list(map(list, columns)), ["subject", "predicate", "object"])
    worker = ABoxMaterializer(Foundation.of(ONTOLOGY))
    parts = list(worker.materialize_parts(pa.concat_tables([table, table]), [0, 3, 3, 5, 6]))
    assert [part.asserted for part in parts] == [3, 0, 2, 1]
    alone = worker.materialize(table)
    assert pickle.dumps(parts[0]) == pickle.dumps(alone)
    assert pickle.dumps(worker.materialize(sorted(graph))) == pickle.dumps(alone)
    assert worker.materialize(table.to_batches()[0]).terms == alone.terms
    with pytest.raises(InvalidTripleError):
        worker.materialize([(Literal("x"), R, EX.a)])
    with pytest.raises(InvalidTripleError, match=r"5: an ABox is an rdflib\.Graph"):
        worker.materialize(5)
    assert pickle.dumps(worker.materialize(table)) == pickle.dumps(alone)  # an error leaves nothing behind


def test_foundations_are_known_by_what_their_numbers_mean():
    def digest(rules=RULES, background=(), unique_names=True):
        return Foundation.of(Ontology.from_rules(rules), background, unique_names).digest

    facts = [member(A, EX.a), (EX.a, V, Literal(1))]
    assert digest() == digest(list(RULES)) and digest(background=facts) == digest(background=facts[::-1])
    different = [
        digest(),
        digest(RULES[:2]),
        digest(background=facts),
        digest(background=facts[:1]),
        digest(background=[*facts[:1], (EX.a, V, Literal("01", datatype=XSD.integer, normalize=False))]),
        digest(unique_names=False),
    ]
    assert len(set(different)) == len(different)
    foundation = Foundation.of(ONTOLOGY, facts)
    again = pickle.loads(pickle.dumps(foundation))
    made = ABoxMaterializer(foundation).materialize([(EX.new, V, Literal("new")), member(EX.New, EX.new)])
    assert again.digest == foundation.digest == made.foundation  # however much it has numbered since
    for path in ("a.ttl", Path("a.ttl")):
        with pytest.raises(MissingFileError, match=r"a\.ttl"):
            Foundation.of(ONTOLOGY, path)
    for none in (b"a.ttl", 7, pd.DataFrame({"subject": []})):
        with pytest.raises(
            OptionError, match=r"(?s)background=.*a graph, triples, a path or a pyarrow.Table"
        ):
            StreamReasoner(ONTOLOGY, Window(1), background=none)
    assert StreamReasoner(ONTOLOGY, Window(1), iter(facts)).foundation.digest == digest(background=facts)


x, y = Variable("x"), Variable("y")
RULES_OF_CANONICAL_MODELS = [
    Rule("prp-dom", (Atom(EX.R, (x, y)), Atom(EX.B, (y,))), Atom(EX.A, (x,))),
    Rule("cax-dw", (Atom(EX.A, (x,)), Atom(EX.C, (x,))), None),
]
BACKGROUND = [(EX.b, RDF.type, EX.B)]
LINK, C_OF_A = (EX.a, EX.R, EX.b), (EX.a, RDF.type, EX.C)


@pytest.fixture(params=["by row", "by column"])
def close(request):
    """Closes ABoxes of triples; gives their derived triples, and whether they are contradictory."""
    foundation = Foundation.of(Ontology.from_rules(RULES_OF_CANONICAL_MODELS, BACKGROUND))
    models = CanonicalModelBuilder(foundation.model())
    models.bulk_from = 0 if request.param == "by column" else 1 << 30
    vocabulary = foundation.vocabulary

    def closed(*aboxes):
        made = models.close([vocabulary.encode(abox).facts for abox in aboxes])
        return [
            (len(one.asserted), list(vocabulary.decode(one.derived)), bool(one.contradictory)) for one in made
        ]

    return closed


def test_the_background_takes_part_and_is_no_part_of_the_model(close):
    assert close([LINK]) == [(1, [(EX.a, RDF.type, EX.A)], False)]


def test_one_abox_knows_nothing_of_another(close):
    assert close([LINK], [C_OF_A], [LINK, C_OF_A], []) == [
        (1, [(EX.a, RDF.type, EX.A)], False),
        (1, [], False),
        (2, [(EX.a, RDF.type, EX.A)], True),
        (0, [], False),
    ]


def test_what_is_asserted_twice_is_asserted_once(close):
    assert close([LINK, LINK])[0][0] == 1


def test_the_lineage_tells_of_a_contradiction_when_it_is_asked_for():
    foundation = Foundation.of(Ontology.from_rules(RULES_OF_CANONICAL_MODELS, BACKGROUND))
    facts = foundation.vocabulary.encode([LINK, C_OF_A]).facts
    models = CanonicalModelBuilder(foundation.model())
    told, untold = (next(models.close([facts], instances)).lineage for instances in (100, None))
    assert untold is None and told is not None
    assert set(map(tuple, facts.tolist())) <= set(map(tuple, np.asarray(told.facts).tolist()))
