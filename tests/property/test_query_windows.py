"""Registered queries with windows of their own report what the definition says of the window's content: when
it changes, when the window closes, where it holds an assertion, periodically; at each boundary of a gap too.

The content of a window that ends now is the union of the interpretations of its timestamps, with the
background; where it closes, as a reasoner is to which time alone has gone on.
"""

from collections import Counter
from contextlib import suppress
from random import Random

import pytest
from rdflib import Graph, URIRef

from answer_differences import HEAD, differences_ignoring_order
from counts import seeds
from oracle.answers import answers, difference
from oracle.canonical_literals import canonical_triple
from pantarhei import OptionError, QueryError, StreamReasoner, Window, load_ontology
from pantarhei.model.time import TimeKind
from random_queries import ONTOLOGY, PREFIXES, random_dataset, random_query

SEEDS = seeds(2, 40, long=2_000)
STEPS = 12
RANGE = 9
QUERIES = (
    "SELECT ?x ?c { ?x a ?c }",
    "SELECT ?x ?y { ?x :s ?y . ?y :s ?z }",
    "SELECT ?x (COUNT(*) AS ?n) { ?x :r ?y } GROUP BY ?x",
    "SELECT ?x ?v { ?x a :B OPTIONAL { ?x :q ?v } }",
    "ASK { ?x a :A }",
    "CONSTRUCT { ?y :seen ?x } WHERE { ?x :s ?y MINUS { ?x a :A } }",
)


pytestmark = pytest.mark.usefixtures("quiet")


class Expected:
    """One registered query, and what it should report."""

    def __init__(self, query, window, on, emit):
        self.query, self.window, self.on, self.emit = query, window, on, emit
        self.seen = None  # the content when it looked last
        self.last = Counter(dict(query.answers))
        self.reports = []

    @property
    def closes(self):
        return "close" in self.on

    def look(self, at, content, has_assertions, compare):
        period = next((each for each in self.on if isinstance(each, int)), None)
        if period and at % period:
            return
        changed, self.seen = content != self.seen, content
        if ("change" in self.on and not changed) or ("non-empty" in self.on and not has_assertions):
            return
        self.reports.append((at, content))


class Case:
    """A reasoner whose queries have windows, and another one that shows what time alone does."""

    def __init__(self, seed):
        self.random = random = Random(seed)
        self.ontology = ontology = load_ontology(Graph().parse(data=ONTOLOGY))
        slide = random.choice((None, 1, 2))
        self.triples, _ = random_dataset(random, is_plain=random.random() < 0.5)
        background = [triple for triple in random.sample(self.triples, 3) if triple[1] == URIRef("urn:x:s")]
        self.reasoner, self.shadow = (
            StreamReasoner(ontology, Window(RANGE, slide), background) for _ in range(2)
        )
        self.now, self.compared, self.known = None, 0, []
        for _ in range(random.randint(1, 4)):
            self.register()

    def register(self):
        random = self.random
        closed = random.choice(("both", "right", "left"))
        window = Window(
            random.randint(1, 5), random.choice((None, 1, 2, 3, 7)), random.choice((0, 1)), closed
        )
        on = {random.choice(("change", "close", "non-empty", 2)) for _ in range(random.randint(1, 3))}
        if on == {2}:
            on = {2, "change"}
        emit = random.choice(("delta", "delta", "istream", "dstream", "rstream"))
        text = random.choice(QUERIES) if random.random() < 0.6 else random_query(random)
        if "GRAPH" in text or "DESCRIBE" in text or "LIMIT" in text or "OFFSET" in text:
            return
        try:
            query = self.reasoner.register(HEAD + text, window=window, on=tuple(on), emit=emit)
        except (QueryError, OptionError):
            return
        expected = Expected(query, window, on, emit)
        always = frozenset(self.shadow.materialization())
        expected.seen = always if self.now is None else self.content(window, self.now)
        self.known.append(expected)

    def content(self, window, now, boundary=None):
        """The facts inside, by the shadow's interpretations; literals as the whole window shows them."""
        first, last = window.content_at(
            TimeKind.INTEGER,
            window.step_at(TimeKind.INTEGER, now).end if boundary is None else boundary,
        )
        shown = {canonical_triple(triple): triple for triple in self.shadow.materialization()}
        stamped = {
            at: set(map(canonical_triple, self.shadow.interpretation(at))) for at in self.shadow.timestamps
        }
        always = shown.keys() - set().union(*stamped.values())
        inside = always.union(*(facts for at, facts in stamped.items() if first <= at <= last))
        return frozenset(shown[fact] for fact in inside)

    def has_assertions(self, window, now, boundary=None):
        first, last = window.content_at(
            TimeKind.INTEGER,
            window.step_at(TimeKind.INTEGER, now).end if boundary is None else boundary,
        )
        held = self.shadow._held.history.log
        return any(len(entry.facts) for entry in held if first <= entry.at <= last)

    def undo(self):
        """Steps that are undone, as if they had never been."""
        random, now = self.random, self.now or 0
        with suppress(ZeroDivisionError), self.reasoner.all_or_nothing(each_step=random.random() < 0.7):
            for _ in range(random.randint(0, 2)):
                now += random.choice((0, 1, 3))
                self.reasoner.push(now, random.sample(self.triples, random.randint(0, 5)))
            raise ZeroDivisionError

    def step(self):
        random = self.random
        before = self.now
        if random.random() < 0.3:
            self.undo()
        now = (self.now or 0) + random.choice((0, 1, 1, 1, 2, 4, random.choice((9, 30))))
        abox = None if random.random() < 0.2 else random.sample(self.triples, random.randint(0, 5))
        for each in self.known:
            each.reports = []
        if before is not None:
            self.close(before, now)
        for reasoner in (self.shadow, self.reasoner):
            update = reasoner.advance(now) if abox is None else reasoner.push(now, abox)
        self.now = now
        for each in self.known:
            if not each.closes and (abox is not None or now != before):
                content = self.content(each.window, now)
                each.look(now, content, self.has_assertions(each.window, now), self)
        self.check(update)
        if random.random() < 0.15:
            self.register()
        if random.random() < 0.1:
            self.restore()

    def restore(self):
        """Go on in another process, as it were, with what was reported already and what is pending."""
        self.reasoner = StreamReasoner.restore(self.reasoner.snapshot(), self.ontology)
        for each in self.known:
            each.query = self.reasoner.queries[each.query.name]

    def close(self, before, now):
        """What closes as time goes on, boundary by boundary."""
        boundaries = {
            boundary
            for each in self.known
            if each.closes
            for boundary in each.window.closings(TimeKind.INTEGER, before, now)
        }
        for boundary in sorted(boundaries):
            if boundary > before:
                self.shadow.advance(boundary)
            for each in self.known:
                if each.closes and boundary in each.window.closings(TimeKind.INTEGER, before, now):
                    content = self.content(each.window, boundary, boundary)
                    some = self.has_assertions(each.window, boundary, boundary)
                    each.look(boundary, content, some, self)

    def check(self, update):
        for each in self.known:
            change = update.answers.get(each.query)
            given = {} if change is None else {report.at: report for report in change.reports}
            assert change is None or [*given] == sorted(given) == [each.at for each in change.reports]
            assert change is None or len(change.reports) == len(given)
            for at, content in each.reports:
                expected = answers(each.query.text, content, {}, PREFIXES)
                report = given.pop(at, None)
                if each.emit == "rstream":
                    assert report is not None and not report.removed, (
                        f"{each.query.text}\n{each.window} {each.on} {at} {change}"
                    )
                    now = report.added
                elif each.emit == "delta":
                    now = Counter(self.last(each))
                    if report is not None:
                        now.update(report.added)
                        now.subtract(report.removed)
                        now = +now
                else:
                    now = None
                if now is not None:
                    names = [str(v) for v in each.query.variables]
                    wrong = difference(expected, names, list(now.elements()))
                    if wrong is not None and expected.form == "SELECT":
                        wrong = differences_ignoring_order(expected, now)
                    assert wrong is None, (
                        f"{each.query.text}\n{each.window} {each.on} {each.emit} {at}\n{wrong}"
                    )
                    each.last = now
                else:
                    self.check_one_side(each, report, expected)
                self.compared += 1
            assert not given, f"{each.query.text}\n{each.window} {each.on} {each.emit}: unexpected {given}"
            if each.emit != "dstream" and each.reports and each.emit != "istream":
                assert Counter(dict(each.query.answers)) == each.last

    def last(self, each):
        return each.last

    def check_one_side(self, each, report, expected):
        """Only what came, or only what went: what is not said is taken from the query's answers."""
        if report is not None:
            assert not (report.removed if each.emit == "istream" else report.added)


def run(seed, steps=STEPS):
    case = Case(seed)
    for _ in range(steps):
        case.step()
    return case.compared


@pytest.mark.parametrize("seed", SEEDS)
def test_queries_report_what_is_in_their_windows(seed):
    run(seed)
