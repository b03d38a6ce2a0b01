"""Temporal rules in shards: what is accepted is concluded by the shards together as by one reasoner."""

from collections import Counter
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from counts import cases, of_many
from oracle.lars.streams import canonical
from pantarhei.errors import CheckpointSplitError
from pantarhei.spark.shards.router import Router
from pantarhei.spark.shards.shard import Shard
from resharding import resharded
from shard_rows import processed, rows
from sharded_rules import COUNTS, Sharded, concluded

SEEDS = st.integers(0, 1 << 30)


def check_shards(seed):
    made = Sharded(seed)
    rnd, setup, told = made.rnd, made.setup, made.input
    router, whole, shards, sums = (
        Router(made.routing, setup.shards),
        setup.reasoner(),
        {},
        Counter(),
    )
    begun = setup.reasoner()
    begun.advance(min(told))
    by_background = set(map(canonical, begun.atoms()))  # comes with the first row that reaches a shard
    for tick in (*told, *range(max(told) + 1, max(told) + 1 + 12 * rnd.randrange(2), 3)):
        parts = {}
        for fact in told.get(tick, ()):
            parts.setdefault(router.shard_of(fact[0]), []).append((tick, fact))
        whole.push(tick, told[tick]) if told.get(tick) else whole.advance(tick)
        for number in sorted(parts.keys() - shards.keys()):
            shards[number] = Shard(setup, setup.reasoner())
        for number, shard in shards.items():
            if number not in parts and (shard.next_timer is None or shard.next_timer > tick):
                continue  # Spark does not wake it
            if rnd.random() < 0.1:
                shard = shards[number] = Shard.restore(setup, shard.saved())
            for ticks, terms, change in processed(shard, rows(parts.get(number, [])), tick):
                assert change and ticks <= tick
                sums[terms] += change
        assert all(number >= 0 for number in sums.values())
        wanted = set(map(canonical, whole.atoms())) - by_background
        assert {concluded(row) for row in +sums} - by_background == wanted, (
            f"at {tick} by {made.key}\n{made.rules}\n{told}"
        )
        COUNTS["conclusions"] += len(wanted)
        COUNTS["fed back"] += whole.stats().fed_back
        COUNTS["steps with shards"] += len(shards) > 1


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
