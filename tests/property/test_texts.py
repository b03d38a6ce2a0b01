"""Random texts of stream languages over random streams: what is run reports what the definitions do."""

from random import Random

import pytest
from rdflib import RDF, Graph, Namespace

import pantarhei as pr
from continuous_reports import engine_reports, oracle_reports, without_empty
from counts import cases
from pantarhei.continuous import build
from pantarhei.model.time import TimeKind
from pantarhei.query.languages import read_stream_text

EX = Namespace("http://example.org/")
SEEDS = range(cases(20, 60, long=2_000))
BODIES = (
    "?x :p ?y",
    "?x :p ?y . ?y :q ?z",
    "?x :p ?y OPTIONAL { ?x :q ?z }",
    "?x :q ?y FILTER NOT EXISTS { ?x :p ?z }",
    "{ ?x :p ?y } UNION { ?x :q ?y }",
    "?x (:p|:q)+ ?y",
)
FORMS = ("SELECT *", "SELECT ?x (COUNT(*) AS ?n)", "ASK", "CONSTRUCT { ?x :seen ?y }", "SELECT DISTINCT ?x")
GROUPED = "COUNT"
POLICIES = ("", "", "REPORT ON_CONTENT_CHANGE", "REPORT PERIODIC 2 TICK BATCH_DRIVEN")


class Case:
    """A text, its streams, and its static graphs."""

    def __init__(self, seed, names=2, predicates="pq"):
        self.random, self.predicates = Random(seed), predicates
        random = self.random
        self.names = [EX.s1, EX.s2][: random.choice((1, 1, names))]
        self.streams = {name: self.stream() for name in self.names}
        self.static = {EX.plan: self.facts(4)}
        self.text = f"PREFIX : <{EX}> " + random.choice((self.c_sparql, self.rsp_ql, self.cqels))()

    def facts(self, most):
        random = self.random
        names = "abc"
        return [
            (EX[random.choice(names)], EX[random.choice(self.predicates)], EX[random.choice(names)])
            for _ in range(random.randint(0, most))
        ]

    def stream(self):
        """Elements that assert again, half of the time, what some element before them did."""
        at, elements = self.random.randint(0, 3), []
        for _ in range(self.random.randint(1, 6)):
            again = self.random.choice(elements)[1] if elements and self.random.random() < 0.5 else []
            elements.append((at, [*again, *self.facts(3)[len(again) :]]))
            at += self.random.choice((0, 1, 1, 2, 5, 13))
        return elements

    def form(self):
        form = self.random.choice(FORMS)
        return form, " GROUP BY ?x" if GROUPED in form else ""

    def lengths(self):
        return f"RANGE {self.random.randint(1, 5)} STEP {self.random.randint(1, 6)}"

    def window(self):
        """A window over time, or one that counts."""
        size = self.random.randint(1, 6)
        step = self.random.choice(("", "", f" STEP {self.random.randint(1, size)}", " TUMBLING"))
        counting = f"{self.random.choice(('TRIPLES', 'RANGE TRIPLES', 'ELEMENTS'))} {size}{step}"
        return self.random.choice((self.lengths(), counting))

    def c_sparql(self):
        form, end = self.form()
        froms = " ".join(f"FROM STREAM <{name}> [{self.window()}]" for name in self.names)
        static = self.random.choice(("", "", "FROM :plan"))
        streams = ("REGISTER ISTREAM :o AS", "REGISTER DSTREAM :o AS", "REGISTER QUERY q COMPUTED EVERY 3 AS")
        head = self.random.choice(("", "", *streams))
        return f"{head} {form} {froms} {static} WHERE {{ {self.random.choice(BODIES)} }}{end}"

    def rsp_ql(self):
        form, end = self.form()
        random, windows, blocks = self.random, [], []
        for place in range(random.choice((1, 1, 2))):
            lengths = random.choice((self.window(), f"FROM NOW-{random.randint(4, 6)} TO NOW-2 STEP 2"))
            policy = random.choice(POLICIES)
            windows.append((f"FROM NAMED WINDOW :w{place} ON <{random.choice(self.names)}>", lengths, policy))
            blocks.append(f"WINDOW :w{place} {{ {random.choice(BODIES)} }}")
        said = " ".join(f"{head} [{lengths} {windows[0][2]}]" for head, lengths, _ in windows)
        said += random.choice(("", "", " FROM :plan"))
        if random.random() < 0.3:
            blocks.append("GRAPH :plan { ?x ?r ?s }")
        head = random.choice(("", "REGISTER ISTREAM :o AS", "REGISTER DSTREAM :o AS"))
        return f"{head} {form} {said} WHERE {{ {' '.join(blocks)} }}{end}"

    def cqels(self):
        form, end = self.form()
        random = self.random
        blocks = []
        for _ in range(random.choice((1, 1, 2))):
            bounds = random.choice(("NOW", "ALL", "RANGE 3", self.window()))
            blocks.append(f"STREAM <{random.choice(self.names)}> [{bounds}] {{ {random.choice(BODIES)} }}")
        return f"{form} WHERE {{ {' '.join(blocks)} }}{end}"


@pytest.mark.parametrize("seed", SEEDS)
def test_texts_report_what_the_definitions_do(seed):
    case = Case(seed)
    made = read_stream_text(case.text)
    streams = {window.stream: case.streams[window.stream] for window in made.windows}  # others are not read
    expected = oracle_reports(case.text, streams, TimeKind.INTEGER, static=case.static, until=30)
    found = engine_reports(case.text, case.streams, static=case.static, until=30)
    assert without_empty(found) == without_empty(expected), case.text
    if made.emit == "rstream":
        assert found == expected, case.text


ONTOLOGY = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:p rdfs:domain :A ; rdfs:subPropertyOf :q . :q rdfs:range :B . :r rdfs:domain :C . :C owl:disjointWith :A .
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_one_window_reports_the_same_anew_and_by_its_changes(seed, monkeypatch):
    """With an ontology and its repairs."""
    ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
    case = Case(seed, names=1, predicates="pqr")
    case.text = case.text.replace("?x :p ?y", "?x a :A", 1)
    static = {name: [fact for fact in facts if fact[1] == EX.q] for name, facts in case.static.items()}
    options = {"streams": case.streams, "static": static, "until": 30}  # it contradicts nothing
    query = pr.register(case.text, ontology, **options)
    found = list(query.run())
    monkeypatch.setattr(build, "views_of", lambda asked: "it is to be compared")
    anew = pr.register(case.text, ontology, **options)
    assert anew.plan().startswith("Re-evaluated")
    wanted = [(at, added, removed) for at, added, removed in anew.run() if added or removed]
    assert [report for report in found if report.added or report.removed] == wanted, case.text


@pytest.mark.parametrize("seed", SEEDS)
def test_texts_report_what_the_definitions_do_of_what_is_closed_and_repaired(seed):
    """Streams contradict themselves, and assert again."""
    ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
    case = Case(seed, predicates="pqr")
    case.text = case.text.replace("?x :p ?y", "?x a :A", 1).replace("FROM :plan", "")
    made = read_stream_text(case.text)
    streams = {window.stream: case.streams[window.stream] for window in made.windows}
    rules = (*ontology.rules, *ontology.constraints)
    options = {"static": {EX.plan: []}, "until": 30}
    expected = oracle_reports(case.text, streams, TimeKind.INTEGER, rules=rules, **options)
    found = engine_reports(case.text, case.streams, ontology=ontology, **options)
    assert without_empty(found) == without_empty(expected), case.text
    if made.emit == "rstream":
        assert found == expected, case.text


# -- the times of triples ----------------------------------------------------------------------------

TIMED = f"""{ONTOLOGY}
:p a owl:TransitiveProperty .
"""
OF_TIMES = (
    "?x :p ?y BIND(timestamp(?x, :p, ?y) AS ?t)",
    "?x ?p ?y BIND(f:timestamp(?x, ?p, ?y) AS ?t)",
    "?x :p ?y . ?y :q ?z FILTER(timestamp(?x, :p, ?y) < timestamp(?y, :q, ?z))",
    "?x a :A . ?y a :B FILTER(!(timestamp(?x, rdf:type, :A) >= timestamp(?y, rdf:type, :B)))",
    "?x :q ?y OPTIONAL { ?x :r ?z FILTER(timestamp(?x, :r, ?z) >= timestamp(?x, :q, ?y)) }",
    "?x :q ?y FILTER NOT EXISTS { ?z :q ?y FILTER(timestamp(?z, :q, ?y) > timestamp(?x, :q, ?y)) }",
    "{ SELECT ?x (MAX(timestamp(?x, ?p, ?y)) AS ?t) { ?x ?p ?y } GROUP BY ?x }",
    "?x :p ?y BIND(COALESCE(timestamp(?y, :p, ?x), 'never') AS ?t)",
)
OUTSIDE = ("", "", "FILTER(COALESCE(timestamp(?x, :p, ?y) < 4, true))")  # no graph there has a time


class TimedCase(Case):
    """A text that asks for times."""

    def __init__(self, seed):
        super().__init__(seed, predicates="pqr")
        prefixes = "PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#> PREFIX rdf: <" + str(RDF) + "> "
        self.text = f"{prefixes} PREFIX : <{EX}> " + self.random.choice((self.merged, self.apart))()

    def merged(self):
        policy = self.random.choice(POLICIES)
        froms = " ".join(f"FROM STREAM <{name}> [{self.window()} {policy}]" for name in self.names)
        return f"SELECT * {froms} {{ {self.random.choice(OF_TIMES)} }}"

    def apart(self):
        random, policy = self.random, self.random.choice(POLICIES)
        windows = [
            f"FROM NAMED WINDOW :w{place} ON <{random.choice(self.names)}> [{self.window()} {policy}]"
            for place in range(random.choice((1, 2)))
        ]
        block = f"{random.choice(('WINDOW :w0', 'GRAPH ?w'))} {{ {random.choice(OF_TIMES)} }}"
        return f"SELECT * {' '.join(windows)} {{ {block} {random.choice(OUTSIDE)} }}"


@pytest.mark.parametrize("seed", range(cases(10, 60, long=1_000)))
def test_the_time_of_a_triple_is_the_newest_of_its_support(seed):
    """With an ontology and its repairs, in the graph that is looked at."""
    ontology = pr.load_ontology(Graph().parse(data=TIMED))
    case = TimedCase(seed)
    made = read_stream_text(case.text)
    streams = {window.stream: case.streams[window.stream] for window in made.windows}
    rules = (*ontology.rules, *ontology.constraints)
    expected = oracle_reports(case.text, streams, TimeKind.INTEGER, until=30, rules=rules)
    assert engine_reports(case.text, case.streams, until=30, ontology=ontology) == expected, case.text
