"""Random texts with several windows over one stream, ontologies, and elements of the stream.

Ontologies have disjoint classes, so that windows are repaired. Windows, policies, patterns across graphs and
the default graph are random too.
"""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random

from rdflib import RDF, XSD, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.continuous.build import Alignment, build_query
from pantarhei.continuous.stream_query import StreamElement

EX = Namespace("http://example.org/")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LENGTH = re.compile(r"(?<=RANGE )\d+|(?<=STEP )\d+|(?<=EVERY )\d+|(?<=PERIODIC )\d+")
PREFIXES = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
AXIOMS = (
    ":A rdfs:subClassOf :B .",
    ":C rdfs:subClassOf :B .",
    ":A owl:disjointWith :C .",
    ":B owl:disjointWith :D .",
    ":C owl:disjointWith :D .",
    ":p rdfs:domain :A .",
    ":q rdfs:range :C .",
    ":p rdfs:subPropertyOf :q .",
    ":r a owl:TransitiveProperty .",
    ":q rdfs:subPropertyOf :r .",
    ":p owl:inverseOf :s .",
    ":p a owl:FunctionalProperty . :a owl:differentFrom :b .",
    ":p owl:propertyDisjointWith :q .",
    ":c a :B .",
)
TRIPLES = (
    "?x a :A",
    "?x a :B",
    "?x a :C",
    "?x :p ?y",
    "?x :q ?y",
    "?x :r ?y",
    "?x a :B",
    "?x ?e ?y",
    "?x a ?c",
    "?x :v ?n",
    "?x a ?c",
    "?x ?e ?y",
    "?x :p ?y . ?y a :B",
    "?x :p/:r ?y",
    "?x :r+ ?y",
    "?x :q* ?y",
    "?x !:p ?y",
    ":a ?e ?y",
)
PARTS = (
    "{here}",
    "{here}",
    "{here}",
    "OPTIONAL {{ {here} }}",
    "OPTIONAL {{ {here} FILTER EXISTS {{ {there} }} }}",
    "OPTIONAL {{ {here} }}",
    "MINUS {{ {here} }}",
    "FILTER NOT EXISTS {{ {here} }}",
    "FILTER EXISTS {{ {here} }}",
    "{{ {here} }} UNION {{ {there} }}",
    "{{ SELECT ?x (COUNT(*) AS ?many) {{ {here} }} GROUP BY ?x }}",
    "{{ SELECT ?y (SUM(?n) AS ?all) {{ {here} {there} }} GROUP BY ?y HAVING(COUNT(*) > 1) }}",
    "FILTER(BOUND(?y) || ?x != :a)",
    "BIND(STR(?x) AS ?told{place})",
    "BIND(NOW() AS ?now{place})",
)
FORMS = (
    "SELECT *",
    "SELECT *",
    "SELECT DISTINCT ?x",
    "SELECT ?x (COUNT(?y) AS ?count)",
    "SELECT (MAX(?n) AS ?most)",
    "ASK",
    "CONSTRUCT { ?x :seen ?y }",
    "DESCRIBE ?x",
)
REPORTS = (
    "",
    "",
    "REPORT ON_CONTENT_CHANGE",
    "REPORT ON_CONTENT_CHANGE TICK BATCH_DRIVEN",
    "REPORT ON_CONTENT_CHANGE NON_EMPTY_CONTENT",
    "REPORT NON_EMPTY_CONTENT TICK BATCH_DRIVEN",
    "REPORT ON_WINDOW_CLOSE NON_EMPTY_CONTENT",
    "REPORT ON_WINDOW_CLOSE ON_CONTENT_CHANGE",
    "REPORT PERIODIC 2 TICK BATCH_DRIVEN",
    "REPORT PERIODIC 3 ON_CONTENT_CHANGE",
)


class Case:
    """Text over one stream, an ontology, and the elements of the stream."""

    def __init__(self, seed):
        self.random = random = Random(seed)
        axioms = random.sample(AXIOMS, random.randint(2, 6))
        self.ontology = pr.load_ontology(Graph().parse(data=PREFIXES + "\n".join(axioms)))
        self.plan = self.facts(3) if random.random() < 0.5 else []
        write = random.choice((self.rsp_ql, self.rsp_ql, self.c_sparql, self.cqels))
        self.unit = random.choice(("", "", "", "s"))  # times are numbers or clock times
        self.text = f"PREFIX : <{EX}> {LENGTH.sub(lambda found: found[0] + self.unit, write())}"
        closed = random.choice(("right", "right", "left", "both"))
        since = random.choice((None, None, -20, 3))
        times = (None if each is None else self.time(each) for each in (random.choice((None, 1)), since))
        self.alignment = Alignment(*times, None, closed)

    def facts(self, most):
        random, names = self.random, "abc"
        made = []
        for _ in range(random.randint(0, most)):
            subject = EX[random.choice(names) if random.random() < 0.9 else f"x{random.randrange(999)}"]
            if random.random() < 0.35:
                made.append((subject, RDF.type, EX[random.choice("ABCD")]))
            elif random.random() < 0.15:
                made.append((subject, EX.v, Literal(str(random.randint(1, 3)), datatype=XSD.integer)))
            else:
                made.append((subject, EX[random.choice("pqrs")], EX[random.choice(names)]))
        return made

    # -- texts -----------------------------------------------------------------------------------------------

    def lengths(self, needs_step=True):
        random = self.random
        step = "" if not needs_step and random.random() < 0.4 else f" STEP {random.randint(1, 5)}"
        return f"RANGE {random.randint(1, 7)}{step}"

    def body(self, places):
        """Return parts of a query that read graphs: `places` are the keywords before a pattern in braces."""
        random = self.random

        def pattern():
            place, triples = random.choice(places), random.choice(TRIPLES)
            return f"{place} {{ {triples} }}" if place else f"{triples} ."

        first = f"{pattern()} {pattern()}" if random.random() < 0.2 else pattern()
        parts = [
            random.choice(PARTS).format(here=pattern(), there=pattern(), place=place)
            for place in range(random.randint(0, 2))
        ]
        return " ".join([first, *parts])

    def form(self):
        form = self.random.choice(FORMS)
        return form, " GROUP BY ?x" if "COUNT" in form else ""

    def rsp_ql(self):
        random, (form, end) = self.random, self.form()
        report = random.choice(REPORTS)
        names = [f":w{place}" for place in range(random.choice((1, 2, 2, 3)))]
        may_move = "CHANGE" in report or "BATCH" in report
        needs_step = not may_move or "CLOSE" in report
        windows = [f"FROM NAMED WINDOW {name} ON :s [{self.lengths(needs_step)} {report}]" for name in names]
        seen = random.sample(names, random.randint(1, len(names)))
        looks_outside = random.random() < 0.5 or len(names) == 1
        places = [*(f"WINDOW {name}" for name in seen), *([""] if looks_outside else [])]
        head = random.choice(("", "REGISTER ISTREAM :o AS", "REGISTER DSTREAM :o AS"))
        static = "FROM :plan" if random.random() < 0.5 else ""
        return f"{head} {form} {' '.join(windows)} {static} WHERE {{ {self.body(places)} }}{end}"

    def c_sparql(self):
        """Return a C-SPARQL text whose default graph is a window, with another window beside it."""
        random, (form, end) = self.random, self.form()
        windows = f"FROM STREAM :s [{self.lengths()}] FROM NAMED STREAM :s [{self.lengths()}]"
        head = random.choice(("", "", "REGISTER ISTREAM :o AS", "REGISTER QUERY q COMPUTED EVERY 3 AS"))
        return f"{head} {form} {windows} WHERE {{ {self.body(['', '', 'GRAPH :s'])} }}{end}"

    def cqels(self):
        random, (form, end) = self.random, self.form()
        places = [
            f"STREAM :s [{random.choice(('NOW', self.lengths(False), self.lengths(False)))}]"
            for _ in range(random.choice((2, 3)))
        ]
        static = random.choice(("", "FROM :plan"))
        body = f"{places[0]} {{ {random.choice(TRIPLES)} }} {self.body([*places, ''])}"
        return f"{form} {static} WHERE {{ {body} }}{end}"

    # -- steps -----------------------------------------------------------------------------------------------

    def made(self):
        streams, static = {EX.s: []}, {EX.plan: self.plan}
        return build_query(self.text, self.ontology, streams, static, None, self.alignment)

    def time(self, at):
        return NOON + timedelta(seconds=at) if self.unit else at

    def steps(self, count):
        """Yield elements, and None with a time that is reached; some elements have an earlier element's
        timestamp.
        """
        at, before = self.random.randint(-2, 3), []
        for _ in range(count):
            abox = [*self.random.sample(before, min(len(before), self.random.randint(0, 3))), *self.facts(7)]
            before = (abox + before)[:9]
            yield at, abox if self.random.random() < 0.85 else None
            at += self.random.choice((0, 0, 1, 1, 1, 1, 2, 3, 6, 25))

    def shake(self, reasoner, at):
        """Take and undo steps, and remove unused terms; neither may change a result."""
        with suppress(ZeroDivisionError), reasoner.all_or_nothing(each_step=self.random.random() < 0.5):
            for later in range(self.random.randint(1, 3)):
                reasoner.push(self.time(at + 2 * later), self.facts(5))
            raise ZeroDivisionError
        reasoner._held.most_entries = 0
        reasoner._held.forget_unused()


def told(driven, at, abox):
    change = driven.advance(at) if abox is None else driven.push(StreamElement(at, EX.s, abox))
    return [] if change is None else list(change.reports)
