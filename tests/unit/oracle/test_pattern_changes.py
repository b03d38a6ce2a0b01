"""Changes of graph patterns: GD as printed goes wrong, the reference and the engine do not."""

from collections import Counter
from random import Random

import pytest
from rdflib import Graph, Variable

from counts import cases, seeds
from oracle.pattern_changes import (
    Change,
    Ground,
    LooselyConnected,
    Message,
    Star,
    answers,
    apply_messages,
    changes,
    decomposition,
    embeddings,
    first_matches,
    instance,
    is_loosely_connected,
    net,
    variables_of,
)
from pantarhei import DynamicGraph, load_ontology
from printed_patterns import evaluated, evaluated_ground, evaluated_star
from strategies import EX

a, b, c, d, p, q, r = (EX[name] for name in "abcdpqr")
x, y, z = map(Variable, "xyz")


def ins(*edge):
    return Message("ins", edge)


def del_(*edge):
    return Message("del", edge)


def by_definition(query, messages, graph=()):
    """What each message comes to."""
    found = []
    for message in messages:
        after = apply_messages(graph, [message])
        found += sorted(changes(query, graph, after))
        graph = after
    return found


def by_algorithm(query, messages, graph=()):
    loose = LooselyConnected(query, graph)
    return [change for message in messages for change in sorted(loose.process(message))]


def by_engine(query, messages, graph=()):
    """The same told by a registered query of a graph without an ontology."""
    dynamic = DynamicGraph(load_ontology(Graph()))
    dynamic.change(insert=graph)
    names = variables_of(query)
    text = " . ".join(" ".join(term.n3() for term in pattern) for pattern in sorted(query))
    form = f"SELECT {' '.join(name.n3() for name in names)}" if names else "ASK"
    registered, found = dynamic.register(f"{form} {{ {text} }}"), []
    for operation, edge in messages:
        update = dynamic.change(**{{"ins": "insert", "del": "delete"}[operation]: [edge]})
        if registered in update.answers:
            change = update.answers[registered]
            assert set(change.added.values()) | set(change.removed.values()) == {1}
            found += sorted(Change("negative", row) for row in change.removed)
            found += sorted(Change("positive", row) for row in change.added)
    return found


def right(query, messages, graph=()):
    """What the definition says, which the algorithms of the reference and the engine say as well."""
    expected = by_definition(query, messages, graph)
    assert not is_loosely_connected(query) or by_algorithm(query, messages, graph) == expected
    assert by_engine(query, messages, graph) == expected
    return expected


# -- the faults of what is printed -----------------------------------------------------------------


def test_one_edge_may_be_two_patterns_of_one_value():
    query, messages = frozenset([(a, p, x), (x, p, a)]), [ins(a, p, a)]
    assert right(query, messages) == [("positive", (a,))]
    assert evaluated_star([(a, p, x), (x, p, a)], messages) == []


def test_one_edge_may_be_patterns_of_two_values():
    query, messages = frozenset([(a, p, x), (x, p, b)]), [ins(a, p, a), ins(a, p, b)]
    assert right(query, messages) == [("positive", (a,))]
    assert evaluated_star([(a, p, x), (x, p, b)], messages) == []


def test_a_deletion_clears_the_match_before_it_is_told():
    query = frozenset([(a, p, x), (b, p, x)])
    messages = [ins(a, p, c), ins(b, p, c), del_(a, p, c), del_(b, p, c), ins(a, p, c)]
    assert right(query, messages) == [("positive", (c,)), ("negative", (c,))]
    told = evaluated_star([(a, p, x), (b, p, x)], messages)
    assert [sign for sign, _ in told] == ["positive", "negative", "negative", "positive"]


def test_each_star_has_a_list_of_instances_of_its_own():
    query = frozenset([(x, p, a), (x, q, a), (y, r, b)])
    messages = [ins(c, p, a), ins(d, r, b)]
    assert right(query, messages) == []
    assert len(evaluated(query, messages)) == 1, "half a match counts as an answer"


def test_the_graph_need_not_be_empty_at_the_start():
    query, graph, messages = frozenset([(a, p, a)]), [(a, p, a)], [del_(a, p, a)]
    assert right(query, messages, graph) == [("negative", ())]
    assert evaluated_ground([(a, p, a)], messages) == []


def test_what_is_left_of_a_variable_need_not_be_a_simple_star():
    query = frozenset([(x, p, x)])
    assert is_loosely_connected(query)
    (part,) = decomposition(query).connected.values()
    neighbours = {node for s, _, o in part for node in (s, o)} - {x}
    assert neighbours == set(), "by Lemma 1 it would be a star, whose neighbours are constants"
    assert right(query, [ins(a, p, b), ins(a, p, a), del_(a, p, a)]) == [
        ("positive", (a,)),
        ("negative", (a,)),
    ]


def test_an_embedding_of_a_part_need_not_be_a_partial_embedding_of_the_whole():
    query, graph = frozenset([(x, p, a), (x, q, b), (a, r, b)]), [(c, p, a), (c, q, b)]
    (star,) = decomposition(query).connected.values()
    (found,) = embeddings(star, graph)
    assert found == {x: c}
    defined = {c, a, b}  # nodes of the whole query that have a value: the part has them all
    demanded = {pattern for pattern in instance(query, found) if {pattern[0], pattern[2]} <= defined}
    assert not demanded <= set(graph), "a r b, which Lemma 2's first sentence takes for granted"
    assert answers(query, graph) == frozenset()


def test_an_edge_that_binds_a_pattern_may_be_another_too():
    query, edges = frozenset([(x, p, y), (x, p, z)]), [(a, p, b)]
    assert right(query, [ins(a, p, b)]) == [("positive", (a, b, b))]
    assert [found[y] for found in first_matches(query, edges)] == [b, b]

    def as_sketched(patterns, inserted):
        """Section 6.5: what is left is evaluated over the edges that come later."""
        if not patterns:
            yield {}
        for place, edge in enumerate(inserted):
            for pattern in patterns:
                for values in embeddings(frozenset([pattern]), [edge]):
                    yield from as_sketched(instance(patterns - {pattern}, values), inserted[place + 1 :])

    assert not list(as_sketched(query, edges))


def test_a_batch_is_netted_before_it_is_told():
    query, batch = frozenset([(a, p, b)]), [ins(a, p, b), del_(a, p, b)]
    assert [sign for sign, _ in by_algorithm(query, batch)] == ["positive", "negative"]
    assert (
        LooselyConnected(query).batch(batch) == changes(query, [], apply_messages([], batch)) == frozenset()
    )


# -- parts -----------------------------------------------------------------------------------------


def test_parts_share_no_variable_and_the_ground_part_has_none():
    query = frozenset([(x, p, y), (y, q, a), (z, p, a), (a, r, b)])
    assert decomposition(query) == (
        {(a, r, b)},
        {frozenset([x, y]): {(x, p, y), (y, q, a)}, frozenset([z]): {(z, p, a)}},
    )
    assert not is_loosely_connected(query)
    assert decomposition(frozenset()) == (frozenset(), {})


def test_a_ground_query_is_told_once():
    ground = Ground(frozenset([(a, p, b), (b, p, c)]), [(a, p, b)])
    told = [ground.process(message) for message in (ins(b, p, c), ins(b, p, c), del_(a, p, b), del_(b, p, c))]
    assert told == ["positive", None, "negative", None]


def test_a_star_forgets_what_matches_nothing_any_more():
    star = Star(frozenset([(x, p, a), (x, q, b)]), [(c, p, a)])
    assert (set(star.instances), star.values) == ({c}, frozenset())
    assert star.process(del_(c, p, a)) == []
    assert star.instances == {}


def test_parts_that_change_together_are_told_as_products():
    query = frozenset([(x, p, a), (y, p, a)])
    told = by_algorithm(query, [ins(b, p, a), ins(c, p, a)])
    assert Counter(sign for sign, _ in told) == {"positive": 4}
    assert set(told) == changes(query, [], [(b, p, a), (c, p, a)])


def test_of_each_edge_the_last_message_counts():
    assert net([ins(a, p, b), ins(c, p, d), del_(a, p, b)]) == [del_(a, p, b), ins(c, p, d)]


# -- at random -------------------------------------------------------------------------------------


class Counted:
    """A loosely connected query with one counter for the ground part and one for each value of a variable, in
    the place of match states."""

    def __init__(self, query):
        parts = decomposition(query)
        self.patterns = [parts.ground, *parts.connected.values()]
        self.matched = [Counter() for _ in self.patterns]

    def process(self, message):
        for patterns, matched in zip(self.patterns, self.matched, strict=True):
            for pattern in patterns:
                for values in embeddings(frozenset([pattern]), [message.edge]):
                    matched[tuple(values.values())] += 1 if message.operation == "ins" else -1

    def answers(self):
        full = [
            {row for row, count in matched.items() if count == len(patterns)}
            for patterns, matched in zip(self.patterns, self.matched, strict=True)
        ]
        rows = {()} if not self.patterns[0] or full[0] else set()
        for part in full[1:]:
            rows = {(*row, *value) for row in rows for value in part}
        return rows


def random_query(random, connected):
    def node(number):
        return random.choice((a, b)) if random.random() < 0.5 else (x, y, z)[number]

    patterns = set()
    for _ in range(random.randint(1, 4)):
        number = random.choice((0, 0, 1, 2))
        other = random.randrange(3) if connected else number
        patterns.add((node(number), random.choice((p, p, q)), node(other)))
    return frozenset(patterns)


def random_messages(random, graph, count):
    """Messages as GD has them: what is inserted is not there, what is deleted is."""
    edges = [(s, e, o) for s in (a, b) for e in (p, q) for o in (a, b)]
    for _ in range(count):
        there, lacking = sorted(graph), [edge for edge in edges if edge not in graph]
        if not lacking or (there and random.random() < 0.4):
            message = Message("del", random.choice(there))
        else:
            message = Message("ins", random.choice(lacking))
        graph = apply_messages(graph, [message])
        yield message


CASES = cases(500, 1_000, long=10_000)


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_the_algorithms_are_right_for_any_loosely_connected_query(seed):
    random, told = Random(seed), 0
    for _ in range(CASES):
        query = random_query(random, connected=False)
        graph = apply_messages([], random_messages(random, frozenset(), random.randint(0, 4)))
        messages = list(random_messages(random, graph, 20))
        expected = by_definition(query, messages, graph)
        assert by_algorithm(query, messages, graph) == expected
        told += len(expected)
        loose, before, counted = LooselyConnected(query, graph), graph, Counted(query)
        for edge in graph:
            counted.process(Message("ins", edge))
        for start in range(0, 20, 5):
            batch = messages[start : start + 5]
            after = apply_messages(before, batch)
            assert loose.batch(batch) == changes(query, before, after)
            for message in batch:
                counted.process(message)
            assert counted.answers() == answers(query, after)
            before = after
    assert told > CASES


@pytest.mark.parametrize("seed", range(2))
def test_the_engine_is_right_for_any_query(seed):
    random = Random(seed)
    for _ in range(CASES // 50):
        query = random_query(random, connected=True)
        graph = apply_messages([], random_messages(random, frozenset(), random.randint(0, 4)))
        messages = list(random_messages(random, graph, 10))
        assert by_engine(query, messages, graph) == by_definition(query, messages, graph)
        inserted = sorted(apply_messages(graph, messages))
        found = {tuple(each[name] for name in variables_of(query)) for each in first_matches(query, inserted)}
        assert found == answers(query, inserted)


def test_as_printed_they_are_often_wrong():
    random, wrong = Random(0), 0
    for _ in range(100):
        query = random_query(random, connected=False)
        messages = list(random_messages(random, frozenset(), 20))
        expected = Counter(map(tuple, by_definition(query, messages)))
        wrong += Counter(evaluated(query, messages, own_lists=True)) != expected
    assert wrong > 20
