"""Temporal rules in shards: what is accepted is concluded by the shards together as by one reasoner."""

from collections import Counter, defaultdict
from functools import partial

from hypothesis import example, given, settings
from hypothesis import strategies as st

from counts import cases, of_many
from oracle.lars.streams import canonical
from pantarhei.errors import CheckpointSplitError
from pantarhei.spark.shards.router import Router
from resharding import resharded
from shard_rows import normalized
from sharded_rules import COUNTS, Sharded, concluded
from sharded_spark import NOTHING, SimulatedStream

SEEDS = st.integers(0, 1 << 30)


def check_shards(seed):
    made = Sharded(seed)
    if not made.report.allows(made.key):
        return
    rnd, setup, told = made.rnd, made.setup, made.input
    stream, whole = SimulatedStream(setup, rnd), setup.reasoner()
    sums, states, parts = defaultdict(Counter), {}, []
    begun = setup.reasoner()
    begun.advance(min(told))
    by_background = set(map(canonical, begun.atoms()))  # comes with the first row that reaches a shard

    def batch():
        complete = stream.complete_until
        rows = rnd.sample(parts, len(parts))
        for _, (ticks, terms, change) in stream.batch(normalized(rows) if rows else NOTHING):
            assert change and (complete is None or ticks > complete)
            if concluded(terms) not in by_background:
                sums[ticks][concluded(terms)] += change
        parts.clear()
        compare(stream.complete_until)

    def compare(complete):
        found = Counter()
        for tick in sorted({*states, *sums}):
            if complete is None or tick > complete:
                return
            found.update(sums[tick])
            assert all(number >= 0 for number in found.values())
            assert set(+found) == states[tick], f"at {tick} by {made.key}\n{made.rules}\n{told}"

    last = max(told) + 1
    for tick in (*told, *range(last, last + 12 * rnd.randrange(2))):
        if tick >= last and stream.closed is not None:
            if parts:
                batch()
            stream.closed = tick
        whole.push(tick, told[tick]) if told.get(tick) else whole.advance(tick)
        states[tick] = set(map(canonical, whole.atoms())) - by_background
        for fact in told.get(tick, ()):
            parts.append((tick, fact))
            if rnd.random() < 0.1:
                batch()
        if rnd.random() < 0.6:
            batch()
        COUNTS["conclusions"] += len(states[tick])
        COUNTS["fed back"] += whole.stats().fed_back
        COUNTS["steps with shards"] += stream.shards > 1
    batch()


def check_split_shards(seed):
    """Shards that all advance to each tick, and whose number changes."""
    made = Sharded(seed)
    rnd, setup, told = made.rnd, made.setup, made.input
    maps = [partial(made.report.positions, key) for key in made.routing.keys]

    def positions(symbol):
        found = [each(symbol) for each in maps]
        return None if None in found else frozenset.intersection(*found)

    router, whole, shards = Router(made.routing, setup.shards), setup.reasoner(), {}
    begun = setup.reasoner()
    begun.advance(min(told))
    by_background = set(map(canonical, begun.atoms()))
    for tick in (*told, *range(max(told) + 1, max(told) + 1 + 12 * rnd.randrange(2), 3)):
        parts = {}
        for fact in told.get(tick, ()):
            parts.setdefault(router.shard_of(fact[0]), []).append(fact)
        whole.push(tick, told[tick]) if told.get(tick) else whole.advance(tick)
        for number in sorted(parts.keys() - shards.keys()):
            shards[number] = setup.reasoner()
        for number, shard in shards.items():
            shard.push(tick, parts[number]) if number in parts else shard.advance(tick)
        found = {canonical(atom) for shard in shards.values() for atom in shard.atoms()}
        wanted = set(map(canonical, whole.atoms()))
        assert found - by_background == wanted - by_background, (seed, tick)
        if rnd.random() < 0.5:
            router, old = Router(made.routing, rnd.randint(1, 5)), shards.values()
            try:
                shards = resharded(made.ontology, old, router.shard_of, positions=positions)
            except CheckpointSplitError as error:
                assert "remember conclusions" in str(error) or "no key is known" in str(error)
                COUNTS["not split"] += 1
                return
            COUNTS["splits"] += 1
            COUNTS["split conclusions"] += len(wanted)


@settings(max_examples=cases(3, 100, long=4_000), deadline=None)
@given(seed=SEEDS)
def test_split_and_merged_shards_conclude_what_one_reasoner_does(seed):
    check_split_shards(seed)


@settings(max_examples=cases(15, 100, long=4_000), deadline=None)
@given(seed=SEEDS)
@example(seed=79)  # the time jumps over ticks at which conclusions cease to hold
@example(seed=141)
def test_shards_conclude_together_what_one_reasoner_does(seed):
    check_shards(seed)


@of_many
def test_the_rules_are_accepted_often_enough_and_conclude():
    COUNTS.clear()
    for seed in range(300):
        check_shards(seed)
    assert COUNTS["rules"] * 0.8 >= COUNTS["refused"] >= COUNTS["rules"] * 0.2
    assert COUNTS["joins"] >= 100
    assert COUNTS["of promises"] >= 20 and COUNTS["of divided shards"] >= 20
    assert COUNTS["fed back"] >= 100
    assert COUNTS["conclusions"] >= 400 and COUNTS["steps with shards"] >= 1_000
