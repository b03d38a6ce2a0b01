"""Limits of the texts that queries have and make: the answers are those without limits, or an error is raised
before the memory is taken.
"""

from __future__ import annotations

import pickle
import tracemalloc
from itertools import count
from random import Random

import pytest
from rdflib import RDF, Graph, Literal

import pantarhei as pr
from counts import seeds
from pantarhei.query import run_query, solutions
from pantarhei.query.solutions import COPIES, MAX_LENGTH
from strategies import EX

NOTHING = pr.load_ontology(Graph())
MAX_BYTES = 60_000
# Beside texts: the query's algebra, rows, and what Python keeps.
OVERHEAD = 3_000_000
PATTERNS = ("a", ".", "[0-9]", "(.)")
TEXTS = ("", "a", "ab c", "ü%", "0123456789", "ǰΐ", "€" * 20)


def expression(random: Random, names: list[str], depth: int = 2) -> str:
    """A random expression whose result is a text, over texts that variables have."""
    if depth == 0 or random.random() < 0.2:
        return random.choice([*names, *(f"'{text}'" for text in TEXTS)])
    inner = [expression(random, names, depth - 1) for _ in range(random.randint(2, 5))]
    first, second = inner[:2]
    return random.choice(
        [
            f"CONCAT({', '.join(inner)})",
            f"CONCAT({', '.join([first] * 8)})",
            f"REPLACE({first}, '{random.choice(PATTERNS)}', '{random.choice(['xyz', 'ü' * 9])}')",
            f"REPLACE({first}, '(.)', '$1$1$1')",
            f"ENCODE_FOR_URI({first})",
            f"UCASE({first})",
            f"STR({first})",
            f"IF(STRLEN({first}) > 3, {first}, {second})",
            f"SUBSTR({first}, 2)",
        ]
    )


def chain(random: Random) -> tuple[str, str]:
    """A pattern that makes texts of texts, and the variable of the last."""
    names = ["?v"]
    binds = []
    for number in range(random.randint(1, 9)):
        binds.append(f"BIND({expression(random, names)} AS ?t{number})")
        names = [f"?t{number}", random.choice(names)]
    return f"{{ ?x <{EX.value}> ?v {' '.join(binds)} }}", names[0]


def query_of(random: Random) -> str:
    pattern, last = chain(random)
    return random.choice(
        [
            f"SELECT ?x {last} {pattern}",
            f"SELECT (STRLEN({last}) AS ?n) {pattern}",
            f"SELECT ?x (GROUP_CONCAT({last}; SEPARATOR='--') AS ?all) {pattern} GROUP BY ?x",
            f"CONSTRUCT {{ ?x <{EX.made}> {last} }} WHERE {pattern}",
        ]
    )


def facts(random: Random) -> list[tuple[object, object, object]]:
    return [
        (EX[f"x{random.randint(1, 3)}"], EX.value, Literal(random.choice(TEXTS) * random.randint(1, 3)))
        for _ in range(random.randint(1, 6))
    ]


def shown(result: object) -> list[object]:
    return sorted(map(str, result))  # type: ignore[call-overload]


@pytest.mark.parametrize("seed", seeds(15, 120, 4_000))
def test_limited_texts_are_the_same_or_refused_before_they_are_made(seed: int) -> None:
    random = Random(seed)
    graph = Graph()
    for triple in facts(random):
        graph.add(triple)
    query = query_of(random)
    tracemalloc.start()
    try:
        found = run_query(graph, query, max_bytes=MAX_BYTES)
        got = shown(found)
    except pr.QueryMemoryError as error:
        peak = tracemalloc.get_traced_memory()[1]
        assert peak < COPIES * MAX_BYTES + OVERHEAD
        assert error.max_bytes == MAX_BYTES and f"max_bytes={MAX_BYTES:_}" in str(error)
        assert error.needed is not None and error.needed > MAX_BYTES
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), again.needed) == (str(error), error.needed)
    else:
        assert got == shown(run_query(graph, query, max_bytes=1 << 28))
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("seed", seeds(6, 50, 1_500))
def test_a_step_whose_texts_are_refused_changes_nothing(seed: int) -> None:
    random = Random(seed)
    query = query_of(random)
    reasoner = pr.StreamReasoner(NOTHING, pr.Window(range=3), max_bytes=2_000_000)
    try:
        registered = reasoner.register(query)
    except pr.QueryError:
        assert not reasoner.queries
        return
    for at in range(6):
        before = set(reasoner.graph), dict(registered.answers)
        try:
            reasoner.push(at, facts(random))
        except (pr.QueryMemoryError, pr.MemoryLimitError):
            assert (set(reasoner.graph), dict(registered.answers)) == before
        else:
            limit = {"max_bytes": 1 << 28}
            asked = reasoner.query(query, **limit)
            assert sorted(map(str, registered.answers.copy().elements())) == shown(asked)


OR = " || ?v = 'b'"
MANY = {
    "in": f"SELECT * {{ ?x ?p ?v FILTER(?v IN ({', '.join(map(repr, map(str, range(2_000))))})) }}",
    "or": f"SELECT * {{ ?x ?p ?v FILTER(?v = 'a'{OR * 2_000}) }}",
    "bind": f"SELECT * {{ ?x ?p ?v . {' '.join(f'BIND({i} AS ?v{i})' for i in range(2_000))} }}",
    "union": f"SELECT * {{ {' UNION '.join(['{ ?x ?p ?v }'] * 2_000)} }}",
    "pattern": f"SELECT * {{ {' '.join(f'?x <urn:p{i}> ?v{i} .' for i in range(2_000))} }}",
    "values": f"SELECT * {{ VALUES ?x {{ {' '.join(map(str, range(8_000)))} }} }}",
    "malformed": f"SELECT * {{ ?x ?p ?v FILTER(?v = 'a'{OR * 2_000} }}",
}


@pytest.mark.parametrize("many", list(MANY.values()), ids=list(MANY))
def test_reading_a_text_counts_towards_the_timeout(many: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count()  # of seconds; each look at it takes one
    monkeypatch.setattr(solutions, "monotonic", lambda: next(clock))
    with pytest.raises(pr.QueryTimeoutError) as raised:
        run_query(Graph(), many, timeout=5)
    assert raised.value.timeout == 5
    assert next(clock) < 10  # it is not read to its end
    depth, trace = 0, raised.value.__traceback__
    while trace is not None:
        depth, trace = depth + 1, trace.tb_next
    assert depth < 30
    assert run_query(Graph(), "ASK {}").askAnswer  # the parser is free


def test_long_texts_are_refused() -> None:
    text = f"ASK {{ ?x a <{EX.C}> }} #" + "x" * MAX_LENGTH
    reasoner = pr.StreamReasoner(NOTHING, pr.Window(range=1))
    reasoner.push(1, [(EX.a, RDF.type, EX.C)])
    for asked in (reasoner.query, reasoner.graph.query, reasoner.register):
        with pytest.raises(pr.QueryLengthError) as raised:
            asked(text)
        assert (raised.value.length, raised.value.max_length) == (len(text), MAX_LENGTH)
    assert reasoner.query(text, max_length=None).askAnswer
    with pytest.raises(pr.QueryLengthError, match="max_length=3"):
        reasoner.query("ASK {}", max_length=3)


@pytest.mark.long
def test_a_limit_that_was_not_given_is_not_named() -> None:
    error = pr.QueryMemoryError(None)
    assert "0 rows" not in str(error) and "0 bytes" not in str(error)
    match = "a+a+a+a+a+a+a+b"
    with pytest.raises(pr.QueryTimeoutError, match="one text") as raised:
        run_query(Graph(), f"SELECT (REPLACE('{'a' * 4000}', '({match})', 'x') AS ?t) {{}}")
    assert raised.value.timeout is None
