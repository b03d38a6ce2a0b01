"""One stream gives one window, however it is kept, fed, split or restored.

Ways are compared by the facts and assertions of the window (at the end and at two points on the way), by the
counters of repairs, and by the removed assertions and conflict sets of each step.
"""

import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import pantarhei as pr
from brick_building import brick_file
from contradicting_streams import STREAMS, Streams, faculty, turtle
from counts import seeds
from strategies import EX, R, a, b
from ways import (
    DEFAULT,
    UNLIMITED,
    WAYS,
    differences,
    fed,
    follow,
    push,
    pushing_closed,
    reasoner_of,
    steps_of,
)

SMALL = [name for name in STREAMS if "," not in name or name.startswith("reactor")]
WITHOUT_BRICK = pytest.mark.skipif(
    brick_file("1.4") is None, reason="the package brickschema is not installed"
)

# The ways that differ most from the default one and from each other.
FEW = ("keep every", "closed apart", "restored between parts", "needed, parts, restored")

# The ways of the small streams every day, where they are not these few.
DAILY = dict.fromkeys(("building", "plant", "faculty", "pedals", "reactor"), tuple(WAYS)) | {
    "tower": ("restored between parts",)
}

# The ways of the large streams, where they are not all.
MOST = (*FEW, "derive needed", "read by run")
LARGE = dict.fromkeys(("building, 100 k", "plant, 100 k", "faculty, 100 k", "air, 10 k", "tower, 10 k"), MOST)
LARGE["building, 300 k"] = ("keep every", "derive needed", "restored twice", "restored between parts")


class Expected:
    """Streams with their outcomes in the default way; the last outcome is cached."""

    def __init__(self, folder):
        self.streams, self.kept = Streams(folder), (None, None)

    def __call__(self, name):
        """Return a stream and its outcome."""
        if self.kept[0] != name:
            self.kept = name, follow(self.streams[name])
        return self.streams[name], self.kept[1]


@pytest.fixture(scope="module")
def expected():
    with TemporaryDirectory() as folder:
        yield Expected(Path(folder))


def parameters(name, *more, is_daily):
    """Return the parameters of a test with a stream."""
    marks = [] if is_daily else [pytest.mark.long]
    if name.startswith("tower"):
        marks.append(WITHOUT_BRICK)
    return pytest.param(name, *more, marks=marks)


def pairs():
    """Return each stream with each of its ways."""
    return [
        parameters(name, way, is_daily=name in SMALL and way in DAILY.get(name, FEW))
        for name in STREAMS
        for way in LARGE.get(name, WAYS)
    ]


def each(names):
    """Return streams as parameters of a test; Brick takes too long for every day."""
    return [parameters(name, is_daily=name in SMALL and name != "tower") for name in names]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("name", "way"), pairs())
def test_each_way_gives_the_window_of_the_default_way(expected, name, way):
    stream, outcome = expected(name)
    assert not differences(outcome, follow(stream, WAYS[way]))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", each(STREAMS))
def test_an_unlimited_budget_changes_nothing_and_nothing_is_undecided(expected, name):
    stream, outcome = expected(name)
    unlimited = follow(stream, budget=UNLIMITED)
    assert outcome["facts cut"] > 0
    assert outcome["facts undecided"] == 0
    assert not any(step.undecided for step in steps_of(unlimited))
    assert all(step.complete for step in steps_of(outcome))
    assert not differences(outcome, unlimited)


@pytest.mark.long
@pytest.mark.timeout(120)
def test_a_day_of_the_building_has_the_known_figures(expected):
    _, outcome = expected("building, 300 k")
    assert (outcome["facts cut"], outcome["facts undecided"]) == (28_545, 0)
    assert sum(len(step.conflicts) for step in steps_of(outcome)) == 29_004


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", each(["plant", "faculty", "parking"]))
def test_streams_have_ties_repetitions_and_contradictions_of_three_and_more(expected, name):
    _, outcome = expected(name)
    sets = [assertions for step in steps_of(outcome) for assertions, _ in step.conflicts]
    times = [{at for at, _ in assertions} for assertions in sets]
    assert max(map(len, sets)) > 2
    assert any(len(at) == 1 < len(members) for at, members in zip(times, sets, strict=True))
    assert any(len({triple for _, triple in step.removed}) < len(step.removed) for step in steps_of(outcome))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", seeds(1, 40))
def test_each_way_gives_the_window_of_the_default_way_for_other_seeds(tmp_path, seed):
    stream = faculty(tmp_path, 500, facts=25, seed=seed)
    outcome = follow(stream)
    for way in ("every, parts, restored", "needed, parts, restored", "every, closed, needed"):
        assert not differences(outcome, follow(stream, WAYS[way])), way


# -- registered queries ----------------------------------------------------------------------------


QUERIED = ["building", "plant", "faculty", "parking", "tower", "building, 100 k"]


def answers(query, reasoner):
    """Return the answers of a registered query, after comparing them with the answers when it is asked."""
    asked = reasoner.query(query.text)
    rows = [()] * bool(asked.askAnswer) if asked.type == "ASK" else map(tuple, asked)
    kept = Counter(dict(query.answers))
    assert kept == Counter(rows), query.text
    return kept


def answered(stream, way):
    """Return the answers of queries at the end of a stream; they are registered at its beginning."""
    reasoner = reasoner_of(stream, way)
    for text in stream.queries:
        reasoner.register(text)
    compared_after = {len(stream.aboxes) * number // 3 for number in (1, 2)}
    for number, (_, now) in enumerate(fed(stream, way, reasoner)):
        reasoner = now
        if number in compared_after:
            for query in reasoner.queries.values():
                answers(query, reasoner)
    return {query.text: answers(query, reasoner) for query in reasoner.queries.values()}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", each(QUERIED))
def test_registered_queries_have_the_answers_of_asked_ones_on_each_way(expected, name):
    stream = expected.streams[name]
    outcome = answered(stream, DEFAULT)
    assert len(outcome) == len(stream.queries) > 0
    assert sum(map(len, outcome.values())) > 0
    for way in ("keep every", "derive needed", "three parts", "restored between parts"):
        assert not differences(outcome, answered(stream, WAYS[way])), way


# -- what a limit leaves undecided -----------------------------------------------------------------

LIMITED = [
    parameters("plant, 10 k", 15, pr.Budget(steps=50), is_daily=False),
    parameters("plant, 10 k", 24, pr.Budget(instances=50), is_daily=False),
    parameters("plant, 6 k", 2, pr.Budget(instances=20), is_daily=True),
    parameters("plant, 6 k", 5, pr.Budget(instances=200), is_daily=False),
    parameters("plant, 10 k", None, pr.Budget(sets=3, steps=200), is_daily=False),
    parameters("plant, 100 k", 40, pr.Budget(steps=50, instances=500), is_daily=False),
    parameters("building, 10 k", 12, pr.Budget(instances=50), is_daily=False),
    parameters("tower, 10 k", None, pr.Budget(steps=10), is_daily=False),
]
ignoring = pytest.mark.filterwarnings("ignore::pantarhei.UndecidedRepairWarning")


@ignoring
@pytest.mark.timeout(120)
@pytest.mark.parametrize(("name", "steps", "budget"), LIMITED)
def test_what_is_undecided_is_the_same_on_each_way(expected, name, steps, budget):
    """Conflict sets are not compared: past a budget only some of them are listed."""
    stream = expected.streams[name].first(steps)
    outcome = follow(stream, every=None, budget=budget)
    assert outcome["facts undecided"] == sum(step.undecided_facts for step in steps_of(outcome)) > 0
    assert all(step.undecided <= step.removed for step in steps_of(outcome))
    for way in (*FEW, "triples of rdflib", "backwards"):
        assert not differences(outcome, follow(stream, WAYS[way], every=None, budget=budget)), way


@ignoring
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "way", ["triples of rdflib", "three parts", "restored twice", "needed, parts, restored"]
)
@pytest.mark.parametrize("budget", [pr.Budget(steps=50), pr.Budget(instances=10)], ids=["steps", "instances"])
def test_what_is_undecided_along_a_transitive_property_is_the_same_however_it_is_fed(expected, budget, way):
    stream = expected.streams["faculty"]
    outcome = follow(stream, every=None, budget=budget)
    assert outcome["facts undecided"] > 0
    assert not differences(outcome, follow(stream, WAYS[way], every=None, budget=budget))


@ignoring
@pytest.mark.parametrize("way", ["keep every", "closed apart"])
@pytest.mark.parametrize("limit", ["steps", "instances"])
def test_what_is_undecided_along_a_transitive_property_is_the_same_however_it_is_kept(limit, way):
    axioms = f":{R.rpartition('/')[2]} a owl:TransitiveProperty , owl:IrreflexiveProperty ."
    ontology, window = pr.load_ontology(turtle(EX, axioms)), pr.Window(5)
    for most in range(60):
        budget = pr.Budget(**{limit: most})
        plain = pr.StreamReasoner(ontology, window, budget=budget)
        other = pr.StreamReasoner(ontology, window, budget=budget, keep=WAYS[way].keep)
        give = pushing_closed(other) if WAYS[way].form == "closed" else push
        circle = [(a, R, b), (b, R, a)]
        assert give(other, 1, circle).repair.undecided == plain.push(1, circle).repair.undecided, budget


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("way", "reasoners"), [("keep every", 1), ("three parts", 1), ("restored", 2), ("restored twice", 3)]
)
def test_each_reasoner_warns_once_of_what_is_undecided(expected, way, reasoners):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", pr.UndecidedRepairWarning)
        outcome = follow(expected.streams["faculty"], WAYS[way], every=None, budget=pr.Budget(steps=50))
    found = [each.message for each in given if issubclass(each.category, pr.UndecidedRepairWarning)]
    assert len(found) == reasoners
    first = next(step for step in steps_of(outcome) if step.undecided)
    assert found[0].facts == first.undecided_facts


def test_a_reasoner_does_not_warn_where_all_is_decided(expected):
    with warnings.catch_warnings():
        warnings.simplefilter("error", pr.UndecidedRepairWarning)
        assert follow(expected.streams["plant"])["facts undecided"] == 0
