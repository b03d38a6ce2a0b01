"""A reasoner that was saved and restored goes on like the one that was not, whatever came before and comes
after.
"""

import os
from collections import Counter

import pyarrow as pa
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, XSD, BNode, Literal, URIRef

from pantarhei import Budget, InconsistentOntologyError, Ontology, StreamReasoner, Window
from pantarhei.language.data_range import Datatype, DatatypeRestriction
from pantarhei.language.rule import Builtin, Different, Member, Rule
from pantarhei.language.term import value_of
from ranges import literal
from strategies import EX, A, B, C, R, S, V, a, b, c, is_a, member, related, worlds, x, y, z
from worlds import interpretations, windows

STEPS = Counter()
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
W, COPY = EX.W, EX.copy
SWRLB = "http://www.w3.org/2003/11/swrlb#"
FORMS = [
    [literal(text, XSD.integer) for text in ("1", "01", "+1")] + [literal("1.0", XSD.decimal)],
    [literal(text, XSD.boolean) for text in ("0", "false")],
    [literal("", XSD.string), Literal("")],
    [Literal("un", lang="fr"), Literal("one")],
    [literal(f"2026-01-01T{text}", XSD.dateTime) for text in ("00:00:00Z", "01:00:00+01:00")],
    [literal("one", XSD.integer), literal("two", EX.unknown)],
]
HOT = DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, Literal(1)),))
OVER_FORMS = [
    Rule("prp-spo1", (related(V, x, y),), related(COPY, x, y)),
    Rule("prp-spo2", (related(R, x, y), related(V, y, z)), related(W, x, z)),
    Rule("cls-hv1", (is_a(A, x),), related(V, x, literal("001", XSD.integer))),
    Rule("prp-ifp", (related(W, x, z), related(W, y, z)), None, (Different(x, y),)),
    Rule("cls-com", (related(COPY, x, y), is_a(B, x)), None),
    Rule("cls-svf1", (related(V, x, y),), is_a(C, x), tests=(Member(y, HOT),)),
    Rule("pr-thing", (is_a(OWL.Thing, x),), is_a(B, x)),
    Rule(
        "swrl",
        (related(V, x, y),),
        related(W, x, z),
        tests=(Builtin(URIRef(SWRLB + "add"), (z, y, literal("1", XSD.integer))),),
    ),
]
NODES = [BNode("one"), BNode("two")]
OTHERS = [
    member(A, a), member(B, a), member(B, b), (a, R, b), (b, R, a), (c, S, a), (NODES[0], R, NODES[1]),
    (NODES[0], RDF.type, A), (NODES[1], V, Literal(2)), (a, OWL.sameAs, b), (a, OWL.differentFrom, c),
    (c, RDF.type, OWL.Nothing), (a, R, NODES[0]),
]  # fmt: skip


@st.composite
def scenes(draw):
    """An ontology, options, and a pool of facts."""
    rules, background, pool = draw(worlds(6))
    rules += tuple(draw(st.lists(st.sampled_from(OVER_FORMS), max_size=3, unique=True)))
    values = [v for forms in draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=2)) for v in forms]
    literals = st.tuples(st.sampled_from((a, b)), st.sampled_from((V, V, COPY, W)), st.sampled_from(values))
    pool += draw(st.lists(st.one_of(literals, literals, st.sampled_from(OTHERS)), min_size=8, max_size=10))
    given = draw(st.lists(st.one_of(st.sampled_from(pool)), max_size=2))
    options = {
        "repair": draw(st.sampled_from(("exact", "exact", "grounded", "algorithm3", "off"))),
        "keep": draw(st.sampled_from(("newest", "newest", "every"))),
        "unique_names": draw(st.sampled_from((True, True, False))),
        "budget": draw(st.sampled_from((None, None, Budget(sets=2, steps=20, instances=8)))),
        "background": given,
    }
    return rules, background, pool, options


steps = st.lists(
    st.tuples(
        st.sampled_from((0, 0, 1, 1, 1, 2, 4)),
        st.one_of(st.none(), *[st.lists(st.integers(0, 15), max_size=5)] * 4),
        st.booleans(),  # as a table
        st.sampled_from((True, False, False)),  # save and restore before it
    ),
    min_size=3,
    max_size=12,
)


def table(triples):
    columns = ("subject", "predicate", "object")
    return pa.table(
        {name: pa.array([t[i].n3() for t in triples], pa.string()) for i, name in enumerate(columns)}
    )


class Twins:
    """A reasoner that goes on, and one that is saved and restored now and then."""

    def __init__(self, ontology, window, options):
        self.steady = StreamReasoner(ontology, window, **options)
        self.ontology, self.restored = ontology, self.steady
        self.pushed, self.met, self.forgotten = {}, set(), set()
        self.now, self.saves = 0, 0

    def step(self, gap, triples, as_table):
        self.now += gap
        if triples is None:
            updates = [each.advance(self.now) for each in self.each()]
        else:
            self.pushed.setdefault(self.now, []).extend(triples)
            self.met |= {value_of(t[2]) for t in triples if isinstance(t[2], Literal)}
            given = table(triples) if as_table else triples
            updates = [each.push(self.now, given) for each in self.each()]
        if self.restored is not self.steady:
            steady, restored = map(self.outcome, updates)
            assert restored == steady
            self.compare()

    def each(self):
        return [self.steady] if self.restored is self.steady else [self.steady, self.restored]

    def save_and_restore(self):
        data = self.restored.snapshot({"now": self.now})
        assert data == self.restored.snapshot({"now": self.now})
        self.restored = StreamReasoner.restore(data, self.ontology)
        assert self.restored.note == {"now": self.now}
        assert self.restored.snapshot(self.restored.note) == data
        known = {value_of(t[2]) for at in self.steady.timestamps for t in self.pushed.get(at, [])}
        self.forgotten |= self.met - known - {value_of(t[2]) for t in self.steady.materialization()}
        self.saves += 1
        self.compare()

    def compare(self):
        steady, restored = self.steady, self.restored
        assert self.told(restored.assertions()) == self.told(steady.assertions())
        assert self.written(restored.materialization()) == self.written(steady.materialization())
        assert restored.timestamps == steady.timestamps
        assert list(map(self.repair, restored.repairs)) == list(map(self.repair, steady.repairs))
        assert restored.background == steady.background
        restored._model.kernel.check_invariants()
        if steady._keep == "newest":
            found, expected = interpretations(restored), interpretations(steady)
            assert {at: self.written(f) for at, f in found.items()} == {
                at: self.written(f) for at, f in expected.items()
            }

    def outcome(self, update):
        delta = update.delta
        return (
            (update.at, update.start, update.end, update.dropped),
            self.repair(update.repair),
            (self.written(delta.added), self.written(delta.removed)),
        )

    def repair(self, repair):
        conflicts = Counter(
            (frozenset(self.told(each.assertions)), frozenset(each.constraints)) for each in repair.conflicts
        )
        removed, undecided = self.told(repair.removed), self.told(repair.undecided)
        return repair.at, repair.method, conflicts, removed, undecided, repair.unlisted

    def told(self, assertions):
        return {(at, self.form(triple)) for at, triple in assertions}

    def written(self, triples):
        return set(map(self.form, triples))

    def form(self, triple):
        """The triple; of a value that had left the window when it was saved, the form may be another."""
        value = value_of(triple[2])
        return (*triple[:2], value) if value in self.forgotten else triple


@settings(max_examples=3000 if LONG else 60, deadline=None)
@given(scenes(), windows, steps)
def test_a_restored_reasoner_goes_on_like_the_one_that_was_saved(scene, window, steps):
    rules, background, pool, options = scene
    try:
        twins = Twins(Ontology.from_rules(rules, background), Window(*window), options)
    except InconsistentOntologyError:
        reject()
    for gap, choice, as_table, save in steps:
        if save:
            twins.save_and_restore()
        twins.step(gap, None if choice is None else [pool[i % len(pool)] for i in choice], as_table)
    twins.save_and_restore()
    STEPS[options["keep"]] += len(steps)
