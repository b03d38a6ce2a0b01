"""After an error in the middle of a step the reasoner is as it was, and goes on as if nothing had been."""

import logging
import random
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from rdflib import OWL, RDF, XSD, Literal, Variable

import pantarhei.interpretation.foundation as foundation_module
import pantarhei.materialize.kernel.arrays as arrays_module
import pantarhei.materialize.kernel.cells as cells_module
import pantarhei.materialize.kernel.rows as rows_module
import pantarhei.repair.repairer as repair_module
import pantarhei.rules.compilation.program as growth_module
from counts import seeds, some
from pantarhei import (
    InvalidTripleError,
    LateABoxError,
    Ontology,
    StreamReasoner,
    TimestampError,
    Window,
)
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import WindowModel
from pantarhei.model.data_range import Datatype, DatatypeRestriction
from pantarhei.model.rule import Atom, Different, Member, Rule
from ranges import literal
from strategies import EX, V
from worlds import World, interpretations

x, y, z = Variable("x"), Variable("y"), Variable("z")
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


def state(reasoner, look=True):
    """What can be seen of a reasoner; looking at interpretations settles what is pending."""
    seen = {
        "materialization": reasoner.materialization(),
        "assertions": reasoner.assertions(),
        "timestamps": reasoner.timestamps,
        "repairs": [repair.removed for repair in reasoner.repairs],
        "now": reasoner._held.history.step,
    }
    # Definition 8 leaves the order of rule applications open, so that a rebuilt model may differ there
    if look and reasoner.options.keep == "newest":
        seen["interpretations"] = interpretations(reasoner)
    return seen


def outcome(update):
    return (
        update.at,
        update.start,
        update.end,
        update.dropped,
        update.repair.removed,
        update.repair.undecided,
        frozenset(update.repair.conflict_sets),
        update.delta.added,
        update.delta.removed,
    )


# -- a stage breaks --------------------------------------------------------------------------------

MODEL = ("slide", "add", "lineage", "cut", "withdraw", "restore")  # methods of the model
STAGES = ("KeptEvidence", "exact_cut")  # what its repair calls


@contextmanager
def breaking(monkeypatch, reasoner, point, after, error):
    """The first call of `point` raises `error`, before or after its work; gives a list of the calls."""
    target = reasoner._held.model if hasattr(reasoner._held.model, point) else repair_module
    whole = getattr(target, point)
    calls = []

    def broken(*args, **kwargs):
        calls.append(point)
        if len(calls) > 1:
            return whole(*args, **kwargs)
        if after:
            whole(*args, **kwargs)
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(target, point, broken)
        yield calls


def broke(monkeypatch, reasoner, dice, step):
    """Try `step` with a failure somewhere: whether it met the failure. If not, it has gone through."""
    point = dice.choice(MODEL + STAGES)
    error = dice.choice((MemoryError, KeyboardInterrupt, ValueError))
    with breaking(monkeypatch, reasoner, point, dice.random() < 0.5, error("injected")) as calls:
        try:
            step(reasoner)
        except error:
            return True
    assert not calls, "a failure was swallowed"
    return False


def steps_of(world, count):
    """Random pushes, also of further parts of one timestamp, and advances."""
    choose, now = world.random.choice, 0
    for _ in range(count):
        now += choose((0, 1, 1, 1, 2))
        facts = list(world.facts(choose((1, 3, 20))))
        if choose(range(6)):
            yield lambda reasoner, now=now, facts=facts: reasoner.push(now, facts)
        else:
            yield lambda reasoner, now=now: reasoner.advance(now)


@both_ways
@pytest.mark.parametrize("seed", seeds(2, 8))
def test_a_disturbed_reasoner_equals_an_undisturbed_one(monkeypatch, seed, keep):
    world, dice = World(seed, constraints=2), random.Random(seed)
    window = Window(dice.choice((2, 5, 12)), dice.choice((1, 1, 2)))
    steady, shaken = (world.reasoner(window, keep=keep) for _ in range(2))
    failures = 0
    for step in steps_of(world, 25):
        look, passed = dice.random() < 0.3, False
        before = state(shaken, look)
        if dice.random() < 0.6:
            if broke(monkeypatch, shaken, dice, step):
                failures += 1
                shaken._held.model.kernel.check_invariants()
                assert state(shaken, look) == before
            else:
                passed = True
        update = None if passed else step(shaken)
        expected = step(steady)
        if update is not None:
            assert outcome(update) == outcome(expected)
        shaken._held.model.kernel.check_invariants()
        assert state(shaken, look) == state(steady, look)
    assert failures


@both_ways
@pytest.mark.parametrize(
    ("module", "allocate"),
    [(rows_module, "new_rows"), (cells_module, "new_cells"), (arrays_module, "new_room")],
)
def test_memory_that_runs_out_while_tables_grow(monkeypatch, keep, module, allocate):
    whole = getattr(module, allocate)
    for nth in (1, 2):
        world = World(3, constraints=0)
        shaken, steady = (world.reasoner(Window(20), keep=keep) for _ in range(2))
        for at in range(3):
            facts = list(world.facts(20))
            shaken.push(at, facts), steady.push(at, facts)
        before, calls = state(shaken), []

        def broken(*args, nth=nth, calls=calls):
            calls.append(args)
            if len(calls) == nth:
                raise MemoryError("injected")
            return whole(*args)

        many = [*world.facts(100), *((EX[f"new{i}"], RDF.type, EX.Other) for i in range(4000))]
        with monkeypatch.context() as patch:
            patch.setattr(module, allocate, broken)
            with pytest.raises(MemoryError):
                shaken.push(3, many)
        shaken._held.model.kernel.check_invariants()
        assert state(shaken) == before
        assert outcome(shaken.push(3, many)) == outcome(steady.push(3, many))


@both_ways
def test_what_an_error_costs_does_not_grow_with_the_age_of_the_stream(monkeypatch, keep):
    world = World(1, constraints=0)
    reasoner = world.reasoner(Window(5), keep=keep)
    for at in range(3000):
        reasoner.push(at, [])
    room = reasoner._held.model.kernel.level_capacity
    error = MemoryError("injected")
    with breaking(monkeypatch, reasoner, "add", False, error), pytest.raises(MemoryError):
        reasoner.push(3000, [])
    assert reasoner._held.model.kernel.level_capacity == room


# -- the program grows -----------------------------------------------------------------------------

SAME_R = Rule("prp-fp", (Atom(EX.R, (x, y)), Atom(EX.R, (x, z))), None, (Different(y, z),))
OF_THINGS = Rule("cax-sco", (Atom(OWL.Thing, (x,)),), Atom(EX.T, (x,)))
HOT = DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, Literal(5)),))
IN_RANGE = Rule("cls-svf1", (Atom(V, (x, y)),), Atom(EX.Hot, (x,)), tests=(Member(y, HOT),))
ILL_TYPED = literal("x", XSD.integer)
KNOWN = [(EX.a, EX.R, EX.b), (EX.a, EX.R, EX.c), (EX.b, V, Literal(7)), (EX.b, RDF.type, EX.B)]
GROWTH = {
    "a class": ([OF_THINGS], [(EX.b, RDF.type, EX.New)]),
    "a property": ([OF_THINGS], [(EX.b, EX.new, EX.d), (EX.d, EX.newer, Literal(9))]),
    "equality": ([], [(EX.b, OWL.sameAs, EX.d), (EX.d, EX.new, EX.e)]),
    "inequality": ([], [(EX.b, OWL.differentFrom, EX.c), (EX.c, V, Literal(8))]),
    "an ill-typed value": ([], [(EX.b, V, ILL_TYPED), (EX.c, V, Literal(6))]),
    "an ill-typed value of a new property": ([OF_THINGS], [(EX.b, EX.new, ILL_TYPED)]),
    "nothing": ([], [(EX.b, RDF.type, OWL.Nothing), (EX.c, RDF.type, EX.B)]),
}


def growing(keep, unique_names, more):
    rules = [SUBCLASS, DISJOINT, IN_RANGE, *([] if unique_names else [SAME_R]), *more]
    ontology = Ontology.from_rules(rules)
    reasoner = StreamReasoner(ontology, Window(3), keep=keep, unique_names=unique_names)
    reasoner.push(1, KNOWN)
    reasoner.push(2, [(EX.a, RDF.type, EX.A)])
    return reasoner


BREAKS = {
    "compiling": (growth_module, "compile_", None),
    "adopting": (Vocabulary, "adopt", None),
    "adopting, at its end": (Vocabulary, "adopt", "after"),
    "noting what is in ranges": (Vocabulary, "_set_memberships", "after"),
    "making the model": (foundation_module, "WindowModel", None),
    "adding to the new model": (WindowModel, "_add", None),
    "adding to the new model, at its end": (WindowModel, "_add", "after"),
}


@both_ways
@pytest.mark.parametrize("unique_names", some([True, False], [True]))
@pytest.mark.parametrize("at", some([2, 3], [3]))
@pytest.mark.parametrize("kind", GROWTH)
def test_a_program_that_fails_to_grow_leaves_no_trace(monkeypatch, keep, unique_names, at, kind):
    more, arriving = GROWTH[kind]
    innocent = [(EX.f, V, Literal(8)), (EX.f, RDF.type, EX.A)]
    expected = {}
    for between in (False, True):  # does something come that needs no growth, after the failure?
        steady = growing(keep, unique_names, more)
        if between:
            steady.push(at, innocent)
        expected[between] = outcome(steady.push(at, arriving)), state(steady)
    for target, name, when in BREAKS.values():
        for nth in range(1, 5):
            shaken = growing(keep, unique_names, more)
            before, calls, whole = state(shaken), [], getattr(target, name)

            def broken(*args, nth=nth, calls=calls, whole=whole, when=when, **kwargs):
                calls.append(1)
                if len(calls) == nth and when is None:
                    raise MemoryError("injected")
                result = whole(*args, **kwargs)
                if len(calls) == nth:
                    raise MemoryError("injected")
                return result

            with monkeypatch.context() as patch:
                patch.setattr(target, name, broken)
                try:
                    update = shaken.push(at, arriving)
                except MemoryError:
                    update = None
            if len(calls) < nth:  # no call left to break
                assert outcome(update) == expected[False][0]
                break
            assert update is None, "a failure was swallowed"
            assert state(shaken) == before, name
            between = nth % 2 == 0
            if between:
                shaken.push(at, innocent)
            assert (outcome(shaken.push(at, arriving)), state(shaken)) == expected[between], name
            shaken._held.model.kernel.check_invariants()
            following = [(EX.e, RDF.type, EX.Newest), (EX.a, EX.R, EX.e), (EX.f, V, Literal(5))]
            untouched = growing(keep, unique_names, more)
            untouched.push(at, [*innocent * between, *arriving])
            assert outcome(shaken.push(4, following)) == outcome(untouched.push(4, following))
            assert state(shaken) == state(untouched)


# -- input breaks ----------------------------------------------------------------------------------

SUBCLASS = Rule("cax-sco", (Atom(EX.A, (x,)),), Atom(EX.B, (x,)))
DISJOINT = Rule("cax-dw", (Atom(EX.B, (x,)), Atom(EX.C, (x,))), None)


def simple(keep="newest", window=None):
    reasoner = StreamReasoner(Ontology.from_rules([SUBCLASS, DISJOINT]), window or Window(3), keep=keep)
    reasoner.push(1, [(EX.a, RDF.type, EX.A)])
    reasoner.push(2, [(EX.b, RDF.type, EX.A), (EX.a, RDF.type, EX.A)])
    return reasoner


def raising():
    yield EX.c, RDF.type, EX.A
    raise RuntimeError("the sensor is gone")


def table(*rows):
    return pa.table(
        dict(zip(("subject", "predicate", "object"), map(list, zip(*rows, strict=True)), strict=True))
    )


GOOD = (EX.c, RDF.type, EX.C)
A_CLASS = f"<{EX.c}>", f"<{RDF.type}>", f"<{EX.C}>"
BAD = {
    "a literal as subject": ([GOOD, (Literal(1), V, EX.a)], InvalidTripleError),
    "a literal as predicate": ([GOOD, (EX.a, Literal(1), EX.a)], InvalidTripleError),
    "a literal as class": ([GOOD, (EX.a, RDF.type, Literal("C"))], InvalidTripleError),
    "a variable": ([GOOD, (x, RDF.type, EX.C)], InvalidTripleError),
    "two terms": ([GOOD, (EX.a, V)], InvalidTripleError),
    "a string": ([GOOD, "a"], InvalidTripleError),
    "strings": ([GOOD, ("a", "b", "c")], InvalidTripleError),
    "a generator that raises": (raising(), RuntimeError),
    "a table with a malformed term": (
        table(A_CLASS, (A_CLASS[0], "<urn:p>", "nonsense")),
        InvalidTripleError,
    ),
    "a table with a literal as subject": (table(A_CLASS, ('"a"', *A_CLASS[1:])), InvalidTripleError),
    "a table without objects": (
        pa.table({"subject": ["<urn:a>"], "predicate": ["<urn:p>"]}),
        InvalidTripleError,
    ),
    "a table with a null": (table(A_CLASS, (None, *A_CLASS[1:])), InvalidTripleError),
}


@both_ways
@pytest.mark.parametrize("at", [2, 3])
@pytest.mark.parametrize("given", BAD)
def test_a_bad_abox_leaves_no_trace(keep, at, given):
    reasoner, untouched = simple(keep), simple(keep)
    abox, error = BAD[given]
    if given == "a generator that raises":
        abox = raising()
    with pytest.raises(error):
        reasoner.push(at, abox)
    assert state(reasoner) == state(untouched)
    facts = [GOOD, (EX.a, RDF.type, EX.C)]
    assert outcome(reasoner.push(at, facts)) == outcome(untouched.push(at, facts))
    assert state(reasoner) == state(untouched)


@pytest.mark.parametrize(
    ("at", "error"),
    [
        (1, LateABoxError),
        (2.5, TimestampError),
        (datetime(2026, 1, 1, tzinfo=UTC), TimestampError),
        ("3", TimestampError),
        (None, TimestampError),
        (True, TimestampError),
        (float("nan"), TimestampError),
        (2**63, TimestampError),
    ],
)
def test_a_bad_timestamp_leaves_no_trace(at, error):
    reasoner, untouched = simple(), simple()
    for step in (lambda: reasoner.push(at, [GOOD]), lambda: reasoner.advance(at)):
        with pytest.raises(error):
            step()
        assert state(reasoner) == state(untouched)


def test_a_failing_abox_is_not_partly_seen_by_a_reader_in_between():
    """A generator may look at the reasoner that takes it in."""
    reasoner, seen = simple(), []

    def looking():
        yield EX.c, RDF.type, EX.A
        seen.append(reasoner.materialization())
        yield from list(reasoner.graph.triples((None, RDF.type, EX.B)))

    before = reasoner.materialization()
    reasoner.push(3, looking())
    assert seen == [before]
    assert reasoner.materialization() >= before | {(EX.c, RDF.type, EX.B)}


# -- after the books were changed ------------------------------------------------------------------


@both_ways
def test_memory_that_runs_out_while_the_changes_are_collected(monkeypatch, keep):
    reasoner, untouched = simple(keep), simple(keep)
    with (
        breaking(monkeypatch, reasoner, "take_changes", False, MemoryError("injected")),
        pytest.raises(MemoryError),
    ):
        reasoner.push(3, [GOOD])
    assert state(reasoner) == state(untouched)


def test_a_window_that_starts_before_the_first_year_is_refused_or_works():
    """A range of 2,700 years: longer than anything, as one says when nothing is to be dropped."""
    reasoner = StreamReasoner(Ontology.from_rules([SUBCLASS]), Window(timedelta(days=1_000_000)))
    update = reasoner.push(datetime(2026, 1, 1, tzinfo=UTC), [(EX.a, RDF.type, EX.A)])
    assert update.delta.added == {(EX.a, RDF.type, EX.A), (EX.a, RDF.type, EX.B)}


def test_a_log_handler_that_raises(caplog):
    """Filters, unlike handlers, let their errors through."""

    class Raising(logging.Filter):
        def filter(self, record):
            raise RuntimeError("no room on the disk")

    reasoner, untouched = simple(), simple()
    logger, raising_filter = logging.getLogger("pantarhei.repair"), Raising()
    logger.addFilter(raising_filter)
    try:
        with caplog.at_level(logging.INFO, "pantarhei.repair"), pytest.raises(RuntimeError):
            reasoner.push(3, [(EX.a, RDF.type, EX.C)])
    finally:
        logger.removeFilter(raising_filter)
    assert state(reasoner) == state(untouched)
