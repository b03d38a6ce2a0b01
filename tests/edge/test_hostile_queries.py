"""Queries that are malformed, catastrophic or interrupted: the error says so, the reasoner is as before."""

import pickle
import random
import re
import signal
import threading
import time
from pathlib import Path

import pytest
from rdflib import RDF, XSD, BNode, Graph, Literal, URIRef

import pantarhei as pr
from counts import cases
from pantarhei.errors import PantarheiError, QueryError, QueryMemoryError, QueryTimeoutError
from pantarhei.query import MAX_BYTES, run_query
from pantarhei.query.solutions import SolutionTable, TermSpace
from strategies import EX

SIZE = 1000
ONTOLOGY = """
    @prefix : <http://example.org/> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :A rdfs:subClassOf :B .
"""


@pytest.fixture(scope="module")
def reasoner():
    """A thousand sensors with a value each."""
    made = pr.StreamReasoner(pr.load_ontology(Graph().parse(data=ONTOLOGY, format="turtle")), pr.Window(1000))
    made.push(0, [(EX[f"s{i}"], EX.v, Literal(i)) for i in range(SIZE)])
    return made


@pytest.fixture
def unharmed(reasoner):
    """Afterwards the reasoner answers as before, and ABoxes are pushed on."""
    before = reasoner.materialization()
    yield
    assert reasoner.materialization() == before
    assert len(reasoner.query("SELECT * { ?s :v ?v }")) == SIZE
    at = reasoner.timestamps[-1] + 1
    reasoner.push(at, [(EX.pushed, RDF.type, EX.A)])
    assert reasoner.query("ASK { :pushed a :B }").askAnswer
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(at, [(EX.undone, RDF.type, EX.A)])
        raise ZeroDivisionError
    assert not reasoner.query("ASK { :undone a :B }").askAnswer


def refused(reasoner, text, error=QueryError, **options):
    """The error of a query, which pickles and is said in words."""
    with pytest.raises(error) as raised:
        reasoner.query(text, **options)
    back = pickle.loads(pickle.dumps(raised.value))
    assert (
        type(back) is type(raised.value)
        and str(back) == str(raised.value)
        and vars(back) == vars(raised.value)
    )
    return raised.value


BILLION = "SELECT * { ?a :v ?x . ?b :v ?y . ?c :v ?z }"
SELF_JOIN = "SELECT * { ?a :v ?x . ?b :v ?y FILTER(STR(?x) < STR(?y)) }"


@pytest.mark.parametrize(
    "text",
    [
        BILLION,
        "SELECT * { { ?a :v ?x } { ?b :v ?y } { ?c :v ?z } }",
        "SELECT * { { ?a :v ?x } UNION { ?a :v ?x } { ?b :v ?y } UNION { ?b :v ?y } { ?c :v ?z } }",
        "SELECT * { ?a ?p ?x . ?b ?q ?y . ?c ?r ?z }",
        "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y OPTIONAL { ?c :v ?z } }",
        "SELECT * { ?a !:none ?x . ?b !:none ?y . ?c !:none ?z }",
        "ASK { { SELECT * { ?a :v ?x . ?b :v ?y . ?c :v ?z } ORDER BY ?a } }",
    ],
)
@pytest.mark.usefixtures("unharmed")
def test_a_result_of_a_billion_rows_is_stopped_by_the_limit(reasoner, text):
    error = refused(reasoner, text, QueryMemoryError)
    assert error.needed > error.max_bytes == MAX_BYTES
    assert error.rows >= SIZE**2


@pytest.mark.usefixtures("unharmed")
def test_of_a_result_of_a_billion_rows_a_few_are_found(reasoner):
    assert len(reasoner.query(f"{BILLION} LIMIT 5")) == 5
    assert reasoner.query(BILLION.replace("SELECT *", "ASK")).askAnswer


@pytest.mark.parametrize(
    "text",
    [
        SELF_JOIN,
        'SELECT * { ?a :v ?x . ?b :v ?y FILTER(CONTAINS(CONCAT(STR(?x), " ", STR(?y)), "nothing")) }',
        "SELECT (GROUP_CONCAT(CONCAT(STR(?x), STR(?y))) AS ?all) { ?a :v ?x . ?b :v ?y }",
    ],
)
@pytest.mark.usefixtures("unharmed")
def test_a_query_is_stopped_when_its_time_is_over(reasoner, text):
    start = time.monotonic()
    error = refused(reasoner, text, QueryTimeoutError, timeout=0.05)
    assert error.timeout == 0.05
    assert time.monotonic() - start < 20, "a limit on time is kept within one operator's work"


@pytest.mark.parametrize(
    ("pattern", "subject"),
    [("(a+)+$", "a" * 40 + "!"), ("(a|aa)+$", "a" * 60 + "!"), ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60)],
)
@pytest.mark.usefixtures("unharmed")
def test_a_catastrophic_regular_expression_is_bounded(reasoner, pattern, subject):
    start = time.monotonic()
    try:
        reasoner.query(f'ASK {{ FILTER(REGEX("{subject}", CONCAT("{pattern}", ""))) }}', timeout=1)
        reasoner.query(f'ASK {{ FILTER(REPLACE("{subject}", "{pattern}", "x") = "") }}', timeout=1)
    except QueryTimeoutError:
        pass
    assert time.monotonic() - start < 20


@pytest.mark.usefixtures("unharmed")
def test_ctrl_c_ends_a_query_and_nothing_else(reasoner):
    def interrupt():
        time.sleep(0.3)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    presses = threading.Thread(target=interrupt)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        presses.start()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(1000):
                reasoner.query(SELF_JOIN)
        presses.join()
    finally:
        signal.signal(signal.SIGINT, handler)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT ?x\n{ ?x ?y }", "line 2, column 9"),
        ("ASK { ?x sensr:v ?y }", "the prefix sensr: is not declared"),
        ("PREFIX sensor: <urn:s:> ASK { ?x sensr:v ?y }", "did you mean sensor:"),
        ("ASK { FILTER(:nonesuch(1)) }", "the function <http://example.org/nonesuch> is not known"),
        ("ASK FROM <urn:pantarhei:at:-1> {}", "expected <urn:pantarhei:ontology>"),
        ('ASK { ?x :v ?y FILTER(REGEX(?y, "(")) }', "regular expression '\\('"),
        ("ASK { SERVICE <http://127.0.0.1:9/> {} }", "SERVICE is refused"),
        ("DROP ALL", "this is an update"),
        ("ASK " + "{" * 5000, "unexpected end of the text; expected"),
        ("ASK " + "{" * 5000 + "}" * 5000, "nested too deeply"),
    ],
)
@pytest.mark.usefixtures("unharmed")
def test_what_is_wrong_is_said(reasoner, text, reason):
    assert re.search(reason, str(refused(reasoner, text)))


@pytest.mark.usefixtures("unharmed")
def test_a_pattern_that_comes_from_data_is_an_error_of_its_row_alone(reasoner):
    found = reasoner.query('SELECT ?p { VALUES ?p { "(" "a" "[" } FILTER(REGEX("abc", ?p)) }')
    assert [str(row.p) for row in found] == ["a"]


# -- any text, any data ------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
W3C = ROOT.parent / "shared" / "conformance" / "w3c-sparql"
TEXTS = [
    path.read_text("utf-8", errors="replace")
    for folder in (ROOT / "examples", W3C)
    for path in sorted(folder.rglob("*.rq"))
]
TOKEN = re.compile(
    r'<[^<>"{}|^`\\\s]*>|"(?:[^"\\\n]|\\.)*"|[?$@]?\w+|\w*:[\w.%-]*|[&|]{2}|[<>!]=|\s+|.', re.S
)
POOL = [token for text in TEXTS for token in TOKEN.findall(text) if token.strip()]
STRANGE = [chr(code) for code in (0, 9, 10, 34, 39, 60, 62, 92, 123, 125, 0x7F, 0xE9, 0x1F600, 0xD800)]


def mutated(rng, text):
    """The text with a few tokens lost, doubled, exchanged, or replaced by those of other texts."""
    tokens = TOKEN.findall(text)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(tokens) + 1)
        tokens[place : place + rng.randint(0, 2)] = rng.choice(
            ([], [rng.choice(POOL)], tokens[place : place + rng.randint(1, 8)], [rng.choice(STRANGE)])
        )
    return "".join(tokens)


def odd_literals():
    texts = {
        "integer": ["01", "abc", "9" * 40],
        "decimal": ["1.0", "1e3"],
        "double": ["NaN", "INF", "-0", "1e400"],
        "boolean": ["true", "yes"],
        "dateTime": ["2020-02-03T00:00:00Z", "2020-02-03T00:00:00", "-99999-01-01T00:00:00Z", "soon"],
        "date": ["2020-02-30"],
        "duration": ["P1Y", "PT"],
        "hexBinary": ["ff", "f"],
        "string": ["\0", ""],
    }
    yield from (
        Literal(text, datatype=XSD[name], normalize=False) for name, forms in texts.items() for text in forms
    )
    yield from (Literal("x", lang="en"), Literal("x", lang="EN-gb"), Literal("a", datatype=EX.unknown))


def odd_data(rng):
    names = [EX.a, EX.b, BNode("x"), BNode("y"), EX.p]
    objects = [*names, *odd_literals()]
    return [(rng.choice(names), rng.choice([EX.p, EX.q, RDF.value]), rng.choice(objects)) for _ in range(40)]


@pytest.mark.timeout(600)
def test_whatever_is_asked_of_whatever_data_is_answered_or_refused():
    rng = random.Random(20)
    made = pr.StreamReasoner(pr.load_ontology(Graph().parse(data=ONTOLOGY, format="turtle")), pr.Window(1))
    made.push(0, odd_data(rng))
    for number in range(cases(500, 1500)):
        text = mutated(rng, rng.choice(TEXTS))
        if number % 100 == 99:
            made.push(number, odd_data(rng))
        try:
            result = made.query(text, timeout=5, max_bytes=1 << 26)
            result.columns(), result.to_arrow(), str(result), result.plan(), list(result)
        except PantarheiError:
            pass
        except Exception as error:
            raise AssertionError(f"{text!r} came to {error!r}") from error


OPERATORS = "= != < <= > >= + - * / && ||"
ONE = """
    STR LANG DATATYPE IRI BNODE ABS CEIL FLOOR ROUND STRLEN UCASE LCASE ENCODE_FOR_URI YEAR MONTH DAY HOURS
    MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA512 isIRI isBLANK isLITERAL isNUMERIC ! - + COUNT SUM AVG MIN MAX
    SAMPLE GROUP_CONCAT
"""
TWO = "CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER SUBSTR langMatches STRDT STRLANG REGEX sameTerm"
CASTS = "integer decimal float double boolean string dateTime"
CALLS = [
    *(f"?x {operator} ?y" for operator in OPERATORS.split()),
    *(f"{name}(?x)" for name in ONE.split()),
    *(f"{name}(?x, ?y)" for name in TWO.split()),
    *(f"<{XSD[name]}>(?x)" for name in CASTS.split()),
    *("IF(?x, ?y, 1)", "COALESCE(?x / 0, ?y)", "?x IN (?y, 1)", "REPLACE(?x, ?y, 'z')", "CONCAT(?x, ?y)"),
]


def test_every_function_takes_every_pair_of_odd_values():
    objects = [EX.a, URIRef("urn:no iri"), BNode("x"), *odd_literals()]
    data = Graph()
    for number, value in enumerate(objects):
        data.add((EX[f"s{number}"], EX.p, value))
    for call in CALLS:
        result = run_query(data, f"SELECT ({call} AS ?result) {{ ?a <{EX.p}> ?x . ?b <{EX.p}> ?y }}")
        assert len(result) in (1, len(objects) ** 2)
        result.to_arrow(), str(result)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?a :p ?h . ?b :p ?h . ?c :p ?h }",
        "SELECT * { ?a ?x ?h . ?b ?y ?h . ?c ?z ?h }",
        "SELECT * { ?a :p ?h OPTIONAL { ?b :p ?h . ?c :p ?h } }",
        "SELECT (COUNT(*) AS ?n) { ?a (:p|^:p)* ?b }",
        "SELECT * { " + " UNION ".join(["{ ?a :p ?h . ?b :p ?h }"] * 40) + " }",
    ],
)
def test_rows_are_counted_before_they_are_made(text, monkeypatch):
    """A table that would be larger than the limit is never there."""
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=1))
    reasoner.push(0, [(EX[f"s{i}"], EX.p, EX.hub) for i in range(400)])
    made = []
    taken = SolutionTable.take
    monkeypatch.setattr(
        SolutionTable, "take", lambda table, places: made.append(len(places)) or taken(table, places)
    )
    most = 2_000_000
    refused(reasoner, f"PREFIX : <{EX}> {text}", QueryMemoryError, max_bytes=most)
    assert max(made, default=0) * 8 <= most


def test_a_term_that_an_interrupt_left_half_numbered_is_no_other_term(reasoner, monkeypatch):
    reasoner.query("SELECT * {}")  # its terms are there from now on
    with pytest.raises(KeyboardInterrupt), monkeypatch.context() as patched:
        interrupted = property(lambda _: raising(KeyboardInterrupt))  # stands before the object's own
        patched.setattr(TermSpace, "_value_of_term", interrupted, raising=False)
        reasoner.query("SELECT * { VALUES ?x { 'first' } }")
    both = "SELECT * { { VALUES ?x { 'second' } } { VALUES ?x { 'first' } } }"
    assert not reasoner.query(both)


def raising(error):
    def fail(*_):
        raise error

    return fail


def test_the_union_of_all_graphs_can_be_the_default_graph(reasoner):
    dataset = reasoner.dataset
    dataset.default_union = True
    try:
        assert len(dataset.query("SELECT * { ?s ?p ?o }")) > len(reasoner.graph)
    finally:
        dataset.default_union = False
