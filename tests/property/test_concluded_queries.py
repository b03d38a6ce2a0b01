"""Queries see what temporal rules conclude: asked once and registered, by the graph's name and by default."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, Graph, Literal

import pantarhei as pr
from counts import cases
from lars_programs import EX, FRAGMENTS, random_case
from pantarhei.errors import TemporalRuleError

SEEDS = st.integers(0, 1 << 30)
COVERED = ["sometime", "always", "negation", "remember", "tuples", "at"]
PREFIX = f"@prefix : <{EX}> ."
REPAIRED = """
    @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :c owl:disjointWith :e . :s rdfs:subClassOf :e . :d rdfs:subPropertyOf :near . :d rdfs:range :c ."""
ONTOLOGIES = [pr.load_ontology(Graph().parse(data=PREFIX + axioms)) for axioms in ("", REPAIRED)]
EVERYTHING = "SELECT * { GRAPH <urn:pantarhei:conclusions> { ?s ?p ?o } }"
WHOLE = "SELECT * { ?s ?p ?o }"
QUERIES = (
    EVERYTHING,
    WHOLE,
    "SELECT * { ?x a :c GRAPH <urn:pantarhei:conclusions> { ?x a :a } }",
    "SELECT ?x ?n { ?x :v ?n ; a :a }",
    "SELECT ?x (COUNT(*) AS ?n) { GRAPH <urn:pantarhei:conclusions> { ?x ?p ?o } } GROUP BY ?x",
    "ASK { GRAPH <urn:pantarhei:conclusions> { :i a :a } }",
    "ASK { :j :b ?y }",
    "SELECT * { ?x a :e OPTIONAL { GRAPH <urn:pantarhei:conclusions> { ?x :b ?y } } }",
    "SELECT * { ?x :d ?y FILTER NOT EXISTS { GRAPH <urn:pantarhei:conclusions> { ?y a :x } } }",
    "SELECT * { ?x (:b|:d)+ ?y MINUS { ?x a :a } }",
    "SELECT * FROM <urn:pantarhei:conclusions> { ?x :y ?n }",
    "CONSTRUCT { ?x :near ?y } { GRAPH <urn:pantarhei:conclusions> { ?x :b ?y } ?x :r ?z }",
)
WRITTEN = ("{}", "0{}", "{}.0")


def rules_of(seed, parts):
    """Random rules that ask for no number of ticks, and a stream for them."""
    case = random_case(random.Random(seed), parts)
    rules = tuple(
        replace(rule, body=tuple(replace(formula, times=1) for formula in rule.body)) for rule in case.rules
    )
    remembered = case.remembered & {rule.head.atom.predicate for rule in rules}
    return pr.TemporalRules(rules, remembered, start=case.stream.start), case.stream


class Asked:
    """A reasoner with registered queries, all of which are followed by what updates say."""

    def __init__(self, rnd, rules, conclusions):
        self.rnd = rnd
        self.ontology, window = rnd.choice(ONTOLOGIES), pr.Window(range=rnd.choice((0, 0, 1, 3)))
        derive = rnd.choice(("all", "needed"))
        self.reasoner = pr.StreamReasoner(
            self.ontology, window, derive=derive, temporal=rules, conclusions=conclusions
        )
        self.followed = {}
        self.plain = None  # without rules
        if window.range == 3:
            self.plain = pr.StreamReasoner(self.ontology, window)
            for reasoner in (self.reasoner, self.plain):
                for name, text in (("own", EVERYTHING), ("own whole", WHOLE)):
                    reasoner.register(text, name, pr.Window(range=1, slide=1))
        for number in rnd.sample(range(len(QUERIES)), 5):
            query = self.reasoner.register(QUERIES[number], f"q{number}")
            self.followed[query.name] = Counter(query.answers)

    def push(self, tick, facts):
        if self.plain is not None:
            self.plain.push(tick, facts)
        return self.reasoner.push(tick, facts)

    def take(self, update):
        for query, change in update.answers.items():
            if query.name in self.followed:
                before = self.followed[query.name]
                assert all(before[row] >= copies for row, copies in change.removed.items())
                self.followed[query.name] = before - change.removed + change.added

    def triple(self, atom):
        """An atom as a triple, numbers written in some way."""
        subject, *rest = atom.arguments
        if not rest:
            return subject, RDF.type, atom.predicate
        (other,) = rest
        if isinstance(other, Literal):
            text = self.rnd.choice(WRITTEN).format(other)
            other = Literal(text, datatype=XSD.decimal if "." in text else XSD.integer)
        return subject, atom.predicate, other

    def facts(self, stream, tick):
        atoms = list(stream.at(tick))
        if self.rnd.random() < 0.3:  # the stream may say what rules conclude
            atoms += [replace(atom, predicate=EX.y) for atom in atoms if atom.predicate == EX.v]
            atoms += [replace(atom, predicate=EX.a) for atom in atoms if atom.predicate == EX.c]
        return [self.triple(atom) for atom in atoms]

    def disturb(self, tick, facts):
        """Do something that must make no difference."""
        match self.rnd.randrange(8):
            case 0:
                options = self.reasoner.options
                self.reasoner = pr.StreamReasoner.restore(self.reasoner.snapshot(), self.ontology)
                assert self.reasoner.options == options
            case 1:
                with pytest.raises(ZeroDivisionError), self.reasoner.all_or_nothing():
                    self.reasoner.push(tick, facts)
                    self.reasoner.push(tick + 3, facts[:2])
                    assert set(self.reasoner.query(EVERYTHING)) == self.reasoner.conclusions()
                    raise ZeroDivisionError
            case 2:
                self.reasoner._held.most_entries = 0  # terms that are not used are forgotten at the next step
            case 3:
                with pytest.raises(pr.InvalidTripleError):
                    self.reasoner.push(tick, [*facts, "no triple"])

    def check(self):
        reasoner = self.reasoner
        conclusions = reasoner.conclusions()
        assert set(reasoner.query(EVERYTHING)) == conclusions
        joined = by_value(conclusions) if reasoner.options.conclusions == "default" else set()
        shown = joined | by_value(reasoner.materialization())
        whole = list(reasoner.query(WHOLE))
        assert len(whole) == len(shown) == len(reasoner.graph)
        assert by_value(whole) == shown and set(reasoner.graph) == set(whole)
        for name, followed in self.followed.items():
            query = reasoner.queries[name]
            assert followed == Counter(query.answers) == asked(reasoner, query.text), query.text
        if self.plain is not None:  # a window of its own sees the same conclusions
            assert set(reasoner.queries["own"].answers) == conclusions
            own, alone = (by_value(each.queries["own whole"].answers) for each in (reasoner, self.plain))
            assert own == joined | alone


def by_value(triples):
    return {(s, p, float(o) if isinstance(o, Literal) else o) for s, p, o in triples}


def asked(reasoner, text):
    """The answers of a query, as a registered one counts them."""
    result = reasoner.query(text)
    if result.type == "ASK":
        return Counter([()] if result.askAnswer else [])
    return Counter(map(tuple, result))


@pytest.mark.parametrize("conclusions", ["graph", "default"])
@pytest.mark.parametrize("fragment", COVERED)
@settings(max_examples=cases(2, 20, long=1_000), deadline=None)
@given(seed=SEEDS)
def test_queries_see_what_is_concluded_at_each_step(fragment, conclusions, seed):
    rnd = random.Random(seed)
    rules, stream = rules_of(seed, FRAGMENTS[fragment])
    try:
        scene = Asked(rnd, rules, conclusions)
    except TemporalRuleError:
        return  # they have no strata
    for tick in stream.timeline:
        if rnd.random() < 0.3:
            continue  # time jumps
        facts = scene.facts(stream, tick)
        scene.disturb(tick, facts)
        half = rnd.randrange(len(facts) + 1)
        if rnd.random() < 0.2:
            with scene.reasoner.all_or_nothing(each_step=rnd.random() < 0.5):
                updates = [scene.push(tick, facts[:half]), scene.push(tick, facts[half:])]
            for update in updates:
                scene.take(update)
            scene.check()
            continue
        for part in (facts[:half], facts[half:]) if rnd.random() < 0.5 else (facts,):
            scene.take(scene.push(tick, part))
            scene.check()
