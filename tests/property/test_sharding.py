"""If a report allows a key, shards by it hold together what one model holds, at every time.

Of a query that is key-local they give together the answers that one model gives.

Programs, backgrounds and streams are random and small; the shards are as many as there are keys, which is the
hardest case.
"""

import random
from collections import Counter, defaultdict
from itertools import chain

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, XSD, Literal

from counts import cases
from pantarhei import InconsistentOntologyError, StreamReasoner, Window
from pantarhei.errors import NotKeyLocalQueryError
from pantarhei.query.key_local import check_key_local
from pantarhei.query.syntax import read_query
from pantarhei.rules.sharding.key_map import ANY_OTHER
from pantarhei.rules.sharding.routing import Routing
from pantarhei.values.by_value import exact
from random_shards import COUNTS, STREAM_CASES, StreamCheck, promises, report_of, second_keys, setups
from sharded_programs import (
    NAMES,
    OVER_LINKS,
    WITH_BACKGROUND,
    ZONE,
    backgrounds,
    declarations,
    pools,
    programs,
    some,
    streams,
)
from strategies import (
    CLASSES,
    DERIVING_RULES,
    DISJOINT_CLASSES,
    EX,
    INDIVIDUALS,
    LITERALS,
    OVER_LITERALS,
    PROPERTIES,
    R,
    S,
    V,
    a,
    b,
)
from worlds import canonical

GROUP = EX.group  # a property that is added as the key

PREFIXES = {"": str(EX), "owl": str(OWL)}
starts = st.sampled_from((*["?x"] * 6, "?y", ":a"))
ends = st.sampled_from((*["?y"] * 3, *["?z"] * 3, "?x", ":b", ":h1"))
streamed = st.one_of(
    st.builds("{} a :{} .".format, starts, st.sampled_from("ABCD")),
    st.builds("{} :{} {} .".format, starts, st.sampled_from("RSV"), ends),
)
patterns = st.one_of(
    streamed,
    streamed,
    st.builds("{} :{} {} .".format, starts, st.sampled_from(("inBuilding", "zone", "near")), ends),
    st.sampled_from(("?x ?p ?y .", "?x a ?y .", "?x a :Unknown .", "?x a owl:Thing .", "?x !:R ?y .")),
    st.sampled_from(("?x :near+ ?y .", "?x :inBuilding* ?y .", "?x :near? :a .", "?x :R/:inBuilding ?y .")),
)
groups = st.recursive(
    streamed | st.lists(patterns, min_size=1, max_size=2).map(" ".join),
    lambda inner: st.one_of(
        st.builds("{} OPTIONAL {{ {} }}".format, inner, inner),
        st.builds("{} OPTIONAL {{ {} FILTER EXISTS {{ {} }} }}".format, inner, inner, patterns),
        st.builds("{} MINUS {{ {} }}".format, inner, inner),
        st.builds("{} FILTER {} {{ {} }}".format, inner, st.sampled_from(("EXISTS", "NOT EXISTS")), inner),
        st.builds("{{ {} }} UNION {{ {} }}".format, inner, inner),
        st.builds("{} {{ {} }} FILTER(BOUND(?y))".format, inner, inner),
        st.builds("VALUES ?x {{ :a :b }} {}".format, inner),
        st.builds("{} {{ SELECT DISTINCT ?x {{ {} }} }}".format, inner, inner),
        st.builds("{} {{ SELECT ?x (COUNT(*) AS ?n) {{ {} }} GROUP BY ?x }}".format, inner, inner),
    ),
    max_leaves=2,
)
selects = st.sampled_from(
    (
        "SELECT ?x ?y {{ {} }}",
        "SELECT DISTINCT ?x ?z {{ {} }}",
        "SELECT DISTINCT ?y {{ {} }}",
        "SELECT ?x (COUNT(?y) AS ?many) (MIN(?z) AS ?least) {{ {} }} GROUP BY ?x",
        "SELECT ?y (COUNT(DISTINCT ?x) AS ?many) {{ {} }} GROUP BY ?y",
    )
)
queries = st.lists(
    st.tuples(selects, groups).map(lambda drawn: drawn[0].format(drawn[1])), min_size=4, max_size=4
)


def are_key_local(texts, report, key):
    """Those of the queries that shards answer as one window does."""
    for text in texts:
        COUNTS["queries"] += 1
        try:
            check_key_local(read_query(text, PREFIXES), report, key)
        except NotKeyLocalQueryError:
            continue
        COUNTS["queries allowed"] += 1
        COUNTS["queries allowed, with a join of streamed facts"] += sum(map(text.count, STREAMED_NAMES)) > 1
        yield text


STREAMED_NAMES = (*(f" a :{name}" for name in "ABCD"), *(f" :{name} " for name in "RSV"))


CASES = st.tuples(
    programs,
    backgrounds(),
    pools,
    streams,
    declarations,
    st.sampled_from((1, 2, 4)),
    st.sampled_from((True, True, True, False)),
    queries,
    st.just("by_datatype"),
    promises,
)


@settings(max_examples=cases(8, 60), deadline=None, suppress_health_check=list(HealthCheck))
@given(CASES)
def test_shards_by_an_allowed_key_hold_what_one_model_holds(case):
    check_shards(*case)


@pytest.mark.long
@settings(max_examples=cases(100, 400, long=6_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(CASES)
def test_more_shards_by_an_allowed_key_hold_what_one_model_holds(case):
    check_shards(*case)


LINKED = st.tuples(
    st.tuples(some(OVER_LINKS, 3), some(DISJOINT_CLASSES, 1)).map(
        lambda drawn: tuple(dict.fromkeys(chain(*drawn)))
    ),
    backgrounds(),
    pools,
    streams,
    st.sampled_from([(*CLASSES, R), (*CLASSES, R, S), (*CLASSES, S)]),
    st.sampled_from((1, 2, 4)),
    st.just(True),
    queries,
    st.just("by_datatype"),
    some((R, S), 2).map(tuple),
)


@settings(max_examples=cases(3, 60, long=4_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(LINKED)
def test_shards_hold_what_one_model_holds_where_streamed_links_are_promised(case):
    check_shards(*case)


@settings(max_examples=cases(8, 60, long=6_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(programs, backgrounds(), declarations, st.booleans(), promises, st.integers(0, 1 << 30))
def test_a_remedy_makes_its_key_usable(rules, background, streaming, unique_names, promised, seed):
    follow_remedies(rules, background, streaming, unique_names, promised, random.Random(seed))


def follow_remedies(rules, background, streaming, unique_names, promised, rnd):
    """Give the options that each remedy proposes, with background facts as it allows them."""
    options = {"unique_names": unique_names}
    try:
        ontology, report = report_of(rules, background, streaming, promised, **options)
    except InconsistentOntologyError:
        return
    for key, remedy in ((key, remedy) for key, found in report.remedies.items() for remedy in found):
        more, declared = [], streaming
        if remedy.key is None:
            key, more = GROUP, grouped(ontology, background, remedy, options, rnd)
        elif remedy.not_streaming:
            all_names = (*CLASSES, *PROPERTIES, V, OWL.Thing, OWL.sameAs, OWL.differentFrom, EX.other)
            left = {*remedy.not_streaming, *report.background_only}
            left.update([EX.other] if ANY_OTHER[1].name in left else [])
            declared = [name for name in (all_names if streaming is None else streaming) if name not in left]
            more = [
                (rnd.choice(NAMES), name, rnd.choice(NAMES))
                for name in remedy.not_streaming
                if name not in (OWL.sameAs, ANY_OTHER[1].name)
                for _ in range(rnd.randint(0, 2))
            ]
        colocated = (*report.colocated, *remedy.colocated)
        given = [name for name in colocated if name not in remedy.not_streaming]
        try:
            followed = ontology.sharding_report(
                declared, [*background, *more], **options, keys=[key], colocated=given
            )
        except InconsistentOntologyError:
            continue
        assert followed.allows(key), (str(remedy), str(followed))
        COUNTS["remedies", remedy.key is None, bool(remedy.colocated)] += 1


def grouped(ontology, background, remedy, options, rnd):
    """Values of a new property, which are equal for names that the remedy requires to be together."""
    model = StreamReasoner(ontology, Window(1), background, **options).materialization()
    group = {name: {name} for name in NAMES}
    for subject, predicate, object_ in model:
        if predicate in (*remedy.linking, OWL.sameAs):
            group.setdefault(subject, {subject}).update(group.setdefault(object_, {object_}))
            for name in group[subject]:
                group[name] = group[subject]
    shared = {id(names): rnd.choice((EX.group1, EX.group2)) for names in group.values()}
    return [(name, GROUP, shared[id(group[name])]) for name in NAMES]


_USUAL = "by_datatype"
NEAR_ONE = [("1", XSD.double), ("1.0", XSD.float), ("1.5", XSD.double), ("1.50", XSD.decimal)]
ON_ZONES = [each for each in WITH_BACKGROUND if any(atom.predicate == ZONE for atom in each.body)]
NUMBERS = (*LITERALS, *(Literal(text, datatype=of) for text, of in NEAR_ONE))
BY_VALUE = st.tuples(
    st.tuples(some(DERIVING_RULES, 1), some(OVER_LITERALS, 1), st.permutations(ON_ZONES)).map(
        lambda drawn: (*drawn[0], *drawn[1], *drawn[2][:2])
    ),
    st.tuples(*[st.sampled_from(NUMBERS)] * 3).map(
        lambda values: [(name, ZONE, value) for name, value in zip(INDIVIDUALS, values, strict=True)]
    ),
    st.tuples(pools, some([(s, V, number) for s in (a, b) for number in NUMBERS], 5)).map(
        lambda drawn: [*drawn[1], *drawn[0]]
    ),
    streams,
    declarations,
    st.sampled_from((1, 2, 4)),
    st.sampled_from((True, True, True, False)),
    queries,
)


@settings(max_examples=cases(2, 200, long=2_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(BY_VALUE)
def test_shards_hold_what_one_model_holds_where_numbers_are_read_by_value(case):
    check_shards(*case, numbers="by_value")


def check_shards(
    rules, background, pool, stream, streaming, range_, unique_names, texts, numbers=_USUAL, promised=()
):
    """Compare shards with one reasoner, for each usable key, also where a second key divides some shards."""
    options = {"unique_names": unique_names, "numbers": numbers}
    try:
        ontology, report = report_of(rules, background, streaming, promised, **options)
    except InconsistentOntologyError:
        return

    def reasoner():
        return StreamReasoner(ontology, Window(range_), background, **options)

    admitted = [
        (s, p, o) for s, p, o in pool if report.admits(o if p == RDF.type else p, is_class=p == RDF.type)
    ]
    aboxes = [{admitted[number] for number in drawn if number < len(admitted)} for drawn in stream]
    count(report, rules)
    for key in report.keys:
        COUNTS["with a promise that is needed"] += bool(report.needed[key])
        for routing in routings(report, key):
            asked = texts
            for used in routing.keys:
                asked = tuple(are_key_local(asked, report, used))
            kept = [{fact for fact in abox if routing.refusal(*fact) is None} for abox in aboxes]
            COUNTS["broken promises"] += kept != aboxes
            compare(reasoner, routing, kept, asked, canonical if numbers == _USUAL else exactly)


def routings(report, key):
    """The routings by a key, with each of its second keys."""
    return [Routing.of(report, key, hot_keys) for hot_keys in second_keys(report, key)]


def count(report, rules):
    streaming = {s for s in (*CLASSES, *PROPERTIES, V) if s not in report.background_only}
    joins = sum(sum(atom.predicate in streaming for atom in each.body) > 1 for each in rules)
    COUNTS["programs"] += 1
    COUNTS["with a join, allowed"] += joins > 0 and bool(report.keys)
    COUNTS["with a join, allowed for a property only"] += (
        joins > 0 and bool(report.keys) and not report.allows("subject")
    )
    COUNTS["refused for a key"] += any(report.obstacles.values())


def compare(reasoner, routing, aboxes, texts, read=canonical):
    """One model, and a model for each key, which all hear of every time."""
    whole, shards = reasoner(), {}
    for at, abox in enumerate(aboxes):
        update = whole.push(at, abox)
        parts = defaultdict(list)
        for triple in abox:
            parts[routing.shard_key(triple[0])].append(triple)
        for name in parts.keys() - shards.keys():
            shards[name] = reasoner()
        for name, shard in shards.items():
            shard.push(at, parts[name]) if name in parts else shard.advance(at)
        held = [each.materialization() for each in shards.values()] or [reasoner().materialization()]
        kept = [(time, fact) for each in shards.values() for time, fact in each.assertions()]
        assert read(set().union(*held)) == read(whole.materialization())
        assert timed(kept, read) == timed(whole.assertions(), read)
        check_holders(routing, shards, whole.materialization() - reasoner().materialization())
        for text in texts:
            answers = Counter(whole.query(text, initNs=PREFIXES).rows)
            of_shards = (shard.query(text, initNs=PREFIXES).rows for shard in shards.values())
            assert Counter(chain.from_iterable(of_shards)) == answers, text
            COUNTS["answers"] += len(answers)
        COUNTS["steps"] += 1
        COUNTS["steps with shards"] += len(shards) > 1
        COUNTS["steps with divided shards"] += len(shards) > 1 and bool(routing.second_keys)
        COUNTS["steps with a cut"] += bool(update.repair.removed)


def check_holders(routing, shards, facts):
    """Each fact is in no other shards than those where the routing looks for it."""
    held = {name: shard.materialization() for name, shard in shards.items()}
    for fact in facts:
        holders = routing.shard_keys_of(fact)
        found = {name for name, model in held.items() if fact in model}
        assert found == set(shards) if holders == () else holders is None or found <= {*holders}


def timed(assertions, read):
    return {(at, *read([fact])) for at, fact in assertions}


def exactly(triples):
    """Triples with one literal a value, where numbers are read by value."""
    return canonical(tuple(map(exact, triple)) for triple in triples)


@settings(max_examples=cases(5, 100, long=6_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(STREAM_CASES)
def test_the_changes_of_shards_add_up_to_one_model_at_each_complete_time(case):
    """Some 11 batches a case: HYPOTHESIS_PROFILE=long runs 66,000."""
    rules, background, pool, streaming, promised, unique_names, seed = case
    rnd = random.Random(seed)
    for setup in setups(rules, background, streaming, promised, unique_names, rnd):
        StreamCheck(setup, pool, rnd).run()


@settings(
    max_examples=200, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(CASES)
def the_same_cases_each_time(case):
    check_shards(*case)


@pytest.mark.long
def test_the_programs_are_allowed_often_enough_and_join_and_contradict():
    """A strategy that went thin would prove nothing. Of random cases some runs have few of a kind."""
    COUNTS.clear()
    the_same_cases_each_time()
    assert COUNTS["programs"] >= 100
    assert COUNTS["with a join, allowed"] >= COUNTS["programs"] / 6
    assert COUNTS["with a join, allowed for a property only"] >= COUNTS["programs"] / 60
    assert COUNTS["refused for a key"] >= COUNTS["programs"] / 6
    assert COUNTS["queries"] / 2 >= COUNTS["queries allowed"] >= COUNTS["queries"] / 10
    assert COUNTS["queries allowed, with a join of streamed facts"] >= COUNTS["queries allowed"] / 6
    assert COUNTS["answers"] >= COUNTS["queries allowed"] / 3
    assert COUNTS["steps with shards"] >= COUNTS["steps"] / 5
    assert COUNTS["steps with a cut"] >= COUNTS["steps"] / 120
    assert COUNTS["with a promise that is needed"] >= COUNTS["programs"] / 60
    assert COUNTS["steps with divided shards"] >= COUNTS["steps"] / 60
    assert COUNTS["broken promises"] >= COUNTS["programs"] / 20
