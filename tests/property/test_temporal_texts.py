"""Laws of the texts of temporal rules: what is written reads back, and no text breaks the reader."""

import random
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import XSD, Literal, URIRef, Variable

import pantarhei as pr
from counts import cases
from lars_programs import FRAGMENTS, random_case, random_ground_case
from pantarhei.model.rule import Builtin
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TimeWindow, TupleWindow
from pantarhei.temporal.rule_form import is_time
from pantarhei.values.scalar_functions import SWRLB
from temporal_texts.laser import LASER
from temporal_texts.ticker import SAME, TICKER

PREFIXES = {"": "http://example.org/", "ex": "http://example.org/ex#", "x-1": "urn:x:"}
STARTS = [*PREFIXES.values(), "http://other.example/"]
LOCALS = [
    "hot",
    "Hot",
    "in",
    "not",
    "mod",
    "remember",
    "a-b",
    "été",
    "4x",
    "a.b",
    "_x",
    "a/b",
    "at",
    "PREFIX",
]
names = st.sampled_from([URIRef(start + local) for start in STARTS for local in LOCALS])
# Arity by name, so that no name has two.
predicates = names.map(lambda name: (name, sum(map(ord, name)) % 4))
variables = st.sampled_from([*map(Variable, ["X", "x", "_x", "_1", "T", "PT5M", "COMP", "Ä", "ä"])])
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
literals = st.one_of(
    st.integers().map(Literal),
    st.decimals(-1000, 1000, places=2).map(lambda d: Literal(str(d), datatype=XSD.decimal, normalize=False)),
    st.sampled_from(["1e3", "-2.5E-7", "INF"]).map(
        lambda t: Literal(t, datatype=XSD.double, normalize=False)
    ),
    texts.map(Literal),
    texts.map(lambda text: Literal(text, lang="en-GB")),
    st.builds(lambda text, of: Literal(text, datatype=of, normalize=False), texts, names),
)
times = st.one_of(
    literals.filter(is_time),
    st.datetimes(datetime(1970, 1, 1)).map(
        lambda at: Literal(f"{at.isoformat()}Z", datatype=XSD.dateTime, normalize=False)
    ),
)
of_ticks = st.integers(0, 4_000_000).map(TimeWindow)
of_time = st.timedeltas(timedelta(0), timedelta(days=10**6)).map(TimeWindow)
of_one_kind = st.shared(st.sampled_from([of_ticks, of_time]), key="a stream has one kind of times")
windows = st.one_of(of_one_kind.flatmap(lambda kind: kind), st.integers(1, 4_000_000).map(TupleWindow))


def most_times(window):
    """How often something can be so in a window; of one of time nobody knows."""
    if isinstance(window.size, timedelta):
        return 10**6
    return window.size + isinstance(window, TimeWindow)


@st.composite
def rules(draw):
    """A rule whose variables are all bound by its first atom."""
    own = draw(st.lists(variables, min_size=1, max_size=4, unique=True))
    terms = st.one_of(st.sampled_from(own), literals, names)

    def atom(is_head=False):
        name, arity = draw(predicates)
        name = URIRef(f"{name}Head") if is_head else name
        arguments = tuple(draw(terms) for _ in range(arity))
        return TemporalAtom(name, arguments, not is_head and draw(st.booleans()))

    def formula():
        mode, window = draw(st.sampled_from(Mode)), None
        time = draw(st.one_of(st.sampled_from(own), times)) if mode is Mode.AT else None
        if mode in (Mode.SOMETIME, Mode.ALWAYS) or (mode is Mode.AT and draw(st.booleans())):
            window = draw(windows)
        often = min(draw(st.integers(1, 10**6)), most_times(window)) if mode is Mode.SOMETIME else 1
        return Formula(atom(), mode, window, time, draw(st.booleans()), often)

    def test():
        name, operands = draw(
            st.sampled_from([("lessThan", 2), ("equal", 2), ("add", 3), ("pow", 3), ("abs", 2), ("mod", 3)])
        )
        return Builtin(SWRLB[name], tuple(draw(terms) for _ in range(operands)))

    at = draw(st.sampled_from(own)) if draw(st.booleans()) else None
    head = Formula(atom(is_head=True), Mode.AT if at else Mode.NOW, time=at)
    binding = Formula(TemporalAtom(URIRef(f"urn:binding{len(own)}"), tuple(own)))
    body = [binding, *(formula() for _ in range(draw(st.integers(0, 3))))]
    return TemporalRule(head, tuple(body), tuple(test() for _ in range(draw(st.integers(0, 2)))))


@given(st.lists(rules(), min_size=1, max_size=3), st.booleans())
@settings(max_examples=cases(8, 200, long=6_000), deadline=None)
def test_what_is_written_reads_back(given_rules, is_remembered):
    remembered = frozenset(rule.head.atom.predicate for rule in given_rules) if is_remembered else frozenset()
    written = pr.TemporalRules(tuple(given_rules), remembered, prefixes=PREFIXES)
    assert pr.load_rules(f"{written}\n") == written


@given(st.sampled_from(list(FRAGMENTS.values())), st.integers(0, 2**32))
@settings(max_examples=cases(8, 200, long=6_000), deadline=None)
def test_random_programs_are_accepted_and_read_back(parts, seed):
    case = random_case(random.Random(seed), parts)
    written = pr.TemporalRules(case.rules, case.remembered)
    assert pr.load_rules(str(written)) == written


@given(st.integers(0, 2**32))
@settings(max_examples=cases(8, 200, long=6_000), deadline=None)
def test_random_ground_programs_read_back_where_they_are_accepted(seed):
    case = random_ground_case(random.Random(seed))
    try:
        written = pr.TemporalRules(case.rules)
    except pr.TemporalRuleError:
        return
    assert pr.load_rules(str(written)) == written


CORPUS = [*SAME, *(text for text, _ in (*LASER, *TICKER))]
PIECES = [*(piece for text in CORPUS for piece in text.split()), *"()[],.:@\"'%#^?<>=-\\⊞◇□\n\0_PX5é\ud800"]


@st.composite
def mutated(draw):
    """A few rules of the corpus with parts taken out, doubled, moved and strange ones put in."""
    text = " ".join(draw(st.lists(st.sampled_from(CORPUS), min_size=1, max_size=3)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 6)))
        text = text[:start] + draw(st.sampled_from([*PIECES, "", text[start:end] * 2])) + text[end:]
    return text


@given(mutated())
@settings(max_examples=cases(8, 200, long=6_000), deadline=None)
def test_a_text_is_read_or_told_of(text):
    try:
        rules = pr.load_rules(f"{text}\n", prefixes=PREFIXES)
    except pr.TemporalRuleError as error:
        assert error.line is None or 1 <= error.line <= text.count("\n") + 2
        assert str(error)
    else:
        assert pr.load_rules(f"{rules}\n") == rules
