"""Random streams in shards, each beside one reasoner that gets the rows that are neither late nor invalid."""

from collections import Counter, defaultdict

from hypothesis import strategies as st
from rdflib import OWL, RDF

from pantarhei import InconsistentOntologyError, Ontology, Window
from pantarhei.engine.options import Options
from pantarhei.model.time import TimeKind
from pantarhei.rdf.ntriples import parse_term
from pantarhei.spark.shards.shard import ShardSetup
from shard_rows import normalized
from sharded_programs import backgrounds, declarations, pools, programs, some
from sharded_spark import NOTHING, SimulatedStream
from strategies import PROPERTIES, V
from worlds import canonical

COUNTS = Counter()
promises = st.just(()) | some((*PROPERTIES, V, OWL.sameAs), 3).map(tuple)

STREAM_CASES = st.tuples(
    programs,
    backgrounds(),
    pools,
    declarations,
    promises,
    st.sampled_from((True, True, True, False)),
    st.integers(0, 1 << 30),
)


def report_of(rules, background, streaming, promised, **options):
    """An ontology and a report on it, with those of the promises that can be given."""
    ontology = Ontology.from_rules(rules)
    report = ontology.sharding_report(streaming, background, **options)
    colocated = [name for name in promised if report.admits(name, is_class=False)]
    if colocated:
        report = ontology.sharding_report(streaming, background, **options, colocated=colocated)
    return ontology, report


def second_keys(report, key):
    """No second keys, and some in which each other key divides some of the shards."""
    yield {}
    values = sorted(set(report.maps[key].keys.values()))
    others = [other for other in report.keys if other != key]
    if key != "subject" and values and others:
        yield dict(zip(values, others * len(values), strict=False))


def setups(rules, background, streaming, promised, unique_names, rnd):
    """Yield the setup of a stream for each usable key, without and with second keys."""
    try:
        _, report = report_of(rules, background, streaming, promised, unique_names=unique_names)
        whole = Ontology.from_rules(rules, background)
    except InconsistentOntologyError:
        return
    for key in report.keys:
        for hot_keys in second_keys(report, key):
            window = Window(rnd.randint(2, 7), rnd.choice((None, 1, 2)), closed=rnd.choice(("both", "right")))
            options = Options(window, unique_names=unique_names, keep=rnd.choice(("newest", "every")))
            yield ShardSetup(
                whole,
                options,
                TimeKind.INTEGER,
                key,
                rnd.choice((1, 2, 5)),
                report,
                waits=rnd.random() < 0.5,
                on_error=rnd.choice(("raise", "skip")),
                hot_keys=hot_keys,
            )


class StreamCheck:
    """A random stream in shards, and one reasoner with the rows that are neither late nor invalid."""

    def __init__(self, setup, pool, rnd):
        self.rnd, self.setup = rnd, setup
        self.lateness = rnd.randint(0, 3) if setup.waits else 0
        self.stream = SimulatedStream(setup, rnd, self.lateness)
        self.whole, self.now = setup.reasoner(), None
        self.always = canonical(self.whole.materialization())
        self.held, self.states, self.sums = defaultdict(list), {}, defaultdict(Counter)
        self.complete, self.late, self.skipped, self.cut, self.asserted = None, 0, 0, 0, 0
        self.pushed, self.in_parts = set(), False  # whether an ABox has arrived in several batches
        routing, report = setup.routing, setup.report
        self.valid = [
            fact
            for fact in pool
            if report.admits(fact[2] if fact[1] == RDF.type else fact[1], is_class=fact[1] == RDF.type)
            and routing.refusal(*fact) is None
        ]
        self.invalid = [fact for fact in pool if fact not in self.valid] if setup.on_error == "skip" else []

    def run(self):
        at = self.rnd.randint(-5, 5)
        for _ in range(self.rnd.randint(3, 9)):
            rows = []
            for _ in range(self.rnd.choice((0, 1, 1, 2, 4))):
                at += self.rnd.choice((0, 1, 1, 2, 5))
                rows += [(at, fact) for fact in self.facts(self.rnd.choice((0, 1, 2, 5)))]
                if self.rnd.random() < 0.3:
                    back = at - self.rnd.randint(1, 5)
                    rows += [(back, fact) for fact in self.facts(1)]
            self.batch(self.rnd.sample(rows, len(rows)))
            if self.rnd.random() < 0.2:
                self.stream.restart()
            if self.rnd.random() < 0.1:
                self.flush()
        self.flush()
        if self.setup.waits:
            assert not self.held
        self.stream.closed = None if self.stream.closed is None else self.stream.closed + 10
        self.batch([])
        self.check_counts()

    def facts(self, number):
        return [self.rnd.choice(self.valid) for _ in range(number if self.valid else 0)] + [
            self.rnd.choice(self.invalid) for _ in range(self.invalid != [] and self.rnd.random() < 0.2)
        ]

    def flush(self):
        self.record(self.stream.flush(), [], self.stream.totals.closed)

    def batch(self, rows):
        closed = self.stream.closed
        self.record(self.stream.batch(normalized(rows) if rows else NOTHING), rows, closed)

    def record(self, changes, rows, closed):
        report = self.stream.report
        given = ((ticks, terms, change) for _, (ticks, terms, change) in changes)
        self.check(given, rows, closed, report, self.stream.complete_until)
        COUNTS["batches"] += 1
        COUNTS["attempts repeated"] += self.stream.again
        self.stream.again = 0

    def check(self, changes, rows, closed, report, complete):
        """Compare the changes of a batch with the steps of one reasoner.

        Args:
            closed: the watermark of the batch.
            report: the report of the batch.
            complete: the time until which the changes are complete after it.
        """
        self.push(rows, closed)
        late = 0
        for ticks, terms, change in changes:
            late += change == 0
            if change:
                assert self.complete is None or ticks > self.complete
                (fact,) = canonical([tuple(map(parse_term, terms))])
                self.sums[ticks][fact] += change
        assert late == report.late
        self.complete = complete
        assert report.facts == sum(sum(each.values()) for each in self.sums.values())
        self.compare()

    def push(self, rows, closed):
        """Push the rows of a batch into the one reasoner, and advance to the watermark."""
        parts = self.held if self.setup.waits else defaultdict(list)
        for at, fact in rows:
            if fact in self.invalid:
                self.skipped += 1
            elif closed is not None and at < closed:
                self.late += 1
            else:
                parts[at].append(fact)
        for at in sorted(parts):
            if not self.setup.waits or (closed is not None and at < closed):
                self.advance(at - 1)
                facts = parts.pop(at)
                self.in_parts |= at in self.pushed
                self.pushed.add(at)
                self.cut += len(self.whole.push(at, facts).repair.taken_out)
                self.asserted += len(set(facts))
                self.note(at)
        if closed is not None:
            self.advance(closed)

    def advance(self, until):
        """Advance the one reasoner tick by tick, if it has begun."""
        while self.now is not None and self.now < until:
            self.whole.advance(self.now + 1)
            self.note(self.now + 1)

    def note(self, at):
        self.now = at
        self.states[at] = canonical(self.whole.materialization()) - self.always

    def compare(self):
        """Compare the sums of changes with the states of the one reasoner at each complete time."""
        if self.complete is None:
            return
        sums = Counter()
        for at in sorted({*self.states, *self.sums}):
            if at > self.complete:
                break
            sums.update(self.sums.get(at, {}))
            assert all(number >= 0 for number in sums.values()), (at, sums)
            assert set(+sums) == self.states.get(at, set()), (at, self.complete)
            COUNTS["times"] += 1
            COUNTS["facts"] += len(+sums)

    def check_counts(self):
        counts = self.stream.totals.counts
        found = counts.late, counts.skipped, counts.assertions
        assert found == (self.late, self.skipped, self.asserted)
        # The repair of an ABox is counted for each of its parts, in shards only if they receive the part.
        assert counts.cut <= self.cut if self.in_parts else counts.cut == self.cut
        COUNTS["late"] += self.late
        COUNTS["skipped"] += self.skipped
        COUNTS["cut"] += self.cut
        COUNTS["cut, counted once"] += 0 if self.in_parts else self.cut
