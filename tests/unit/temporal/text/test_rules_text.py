"""Texts of temporal rules: what they read as, and what is said of those that cannot be read."""

import pickle
from datetime import timedelta

import pytest
from rdflib import RDF, XSD, Literal, Namespace, URIRef, Variable

import pantarhei as pr
from pantarhei.errors import TemporalTextError
from pantarhei.model.message_text import TextPosition
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TimeWindow
from pantarhei.temporal.text.rules_text import read_rules
from temporal_texts.laser import LASER
from temporal_texts.ticker import SAME, TICKER

EX = Namespace("http://example.org/")
PREFIXES = {"": str(EX)}
V = Variable("V")


@pytest.mark.parametrize(("text", "reading"), [*LASER, *TICKER, *((text, text) for text in SAME)])
def test_a_rule_reads_as(text, reading):
    if reading is None:
        with pytest.raises(TemporalTextError):
            read_rules(text, PREFIXES)
    else:
        assert [*map(str, read_rules(text, PREFIXES).rules)] == [reading]


@pytest.mark.parametrize(
    ("body", "reading"),
    [
        ("diamond b(X) in [3]", "b(X) in [3]"),
        ("◇ b(X) in [3 #]", "b(X) in [3 #]"),
        ("box b(X) in [3 min]", "b(X) always in [3 min]"),
        ("not diamond b(X) in [3]", "not b(X) in [3]"),
        ("diamond not b(X) in [3]", "not b(X) always in [3]"),
        ("(box asserted b(X)) in [3]", "asserted b(X) always in [3]"),
        ("asserted(b(X))", "asserted b(X)"),
        ("not asserted(b(X)) in [3]", "not asserted b(X) in [3]"),
        ("box asserted(b(X)) in [3]", "asserted b(X) always in [3]"),
        ("b(X) at least 1 time in [3]", "b(X) in [3]"),
        ("b(X) at least 2 time in [3]", "b(X) at least 2 times in [3]"),
        ("⊞⁵ ◇ b(X)", "b(X) in [5]"),
        ("⊞¹⁰ □ b(X)", "b(X) always in [10]"),
        ("⊞#³ ◇ b(X)", "b(X) in [3 #]"),
    ],
)
def test_words_without_parentheses_and_with_them(body, reading):
    assert [*map(str, read_rules(f"a(X) :- {body}.", PREFIXES).rules)] == [f"a(X) :- {reading}."]


def test_a_rule_is_read_as_values():
    text = "alarm(V) :- hot(V) always in [5 min], not asserted 'Served'(V, 5) in [PT10M]."
    served = TemporalAtom(EX.Served, (V, Literal(5)), is_asserted=True)
    ten = TimeWindow(timedelta(minutes=10))
    assert read_rules(text, PREFIXES).rules == (
        TemporalRule(
            Formula(TemporalAtom(EX.alarm, (V,))),
            (
                Formula(TemporalAtom(EX.hot, (V,)), Mode.ALWAYS, TimeWindow(timedelta(minutes=5))),
                Formula(served, Mode.SOMETIME, ten, is_negated=True),
            ),
        ),
    )


def test_rules_and_formulas_know_where_they_are_written():
    (rule,) = read_rules("\n  a :- b,\r\n\tnot c.", PREFIXES).rules
    assert rule.written == TextPosition(2, 3, "  a :- b,")
    assert [each.written for each in rule.body] == [
        TextPosition(2, 8, "  a :- b,"),
        TextPosition(3, 2, "\tnot c."),
    ]


def test_a_comparison_knows_where_it_is_written_however_it_is_turned():
    (rule,) = read_rules("a(Z) at T + 1 :- b(X) at T in [3],\n X = Z + 1,\n X > 2 * 3.", PREFIXES).rules
    places = [(test.written.line, test.written.column) for test in rule.tests]
    assert sorted(places) == [(1, 9), (2, 2), (3, 2), (3, 6)]


def test_prefixes_are_those_given_and_those_declared_from_there_on():
    text = "@prefix ex: <urn:ex#> . PREFIX : <urn:own#> a :- ex:B, c, rdf:type(x, _). @prefix : <urn:2#> . d."
    first, second = read_rules(text, PREFIXES).rules
    own, ex = Namespace("urn:own#"), Namespace("urn:ex#")
    assert [formula.atom.predicate for formula in first.formulas] == [own.a, ex.B, own.c, RDF.type]
    assert second.head.atom.predicate == Namespace("urn:2#").d


def test_what_is_remembered_is_read():
    text = "remember a, :B,\n <urn:c>. a :- b. remember a."
    assert {each: tuple(at[:2]) for each, at in read_rules(text, PREFIXES).remembered.items()} == {
        EX.a: (1, 10),
        EX.B: (1, 13),
        Namespace("urn:").c: (2, 2),
    }


def test_a_variable_that_nobody_names_is_another_each_time_and_none_of_the_text():
    (rule,) = read_rules("a(X) :- b(X, _), c(_, _1).", PREFIXES).rules
    assert [f.atom.arguments for f in rule.body] == [
        (Variable("X"), Variable("_2")),
        (Variable("_3"), Variable("_1")),
    ]


def test_numbers_and_strings_are_literals():
    text = 'a(5, 2.50, -1, 1e3, "x", "x"@en, "x"^^xsd:token, "\\u00e9\\n").'
    (rule,) = read_rules(text, PREFIXES).rules
    assert rule.head.atom.arguments == (
        Literal(5),
        Literal("2.50", datatype=XSD.decimal),
        Literal(-1),
        Literal("1e3", datatype=XSD.double, normalize=False),
        Literal("x"),
        Literal("x", lang="en"),
        Literal("x", datatype=XSD.token),
        Literal("é\n"),
    )


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("a :- b in [3 fortnights].", 1, 14, "fortnights is not a unit; [3] for ticks, [3 #] for assertions"),
        ("a :- b\nc :- d.", 2, 1, "unexpected c; expected a comma and another condition, or a full"),
        ("a :- b\nc :- d.", 2, 1, "after the rule: the statement before this line is not complete"),
        ("remember a\na :- d.", 2, 1, "or a full stop: the statement before this line is not complete"),
        ("a\n@prefix : <urn:a> .", 2, 1, "fact: the statement before this line is not complete"),
        ("a :- b alwyas in [3].", 1, 8, "unexpected alwyas (did you mean always?); expected"),
        ("a :- b for [5 min].", 1, 8, "unexpected for (did you mean always in [5 min]?)"),
        ("a :- b within 5 min.", 1, 8, "unexpected within (did you mean in [5 min]?)"),
        ("a :- b or c.", 1, 8, "unexpected or (did you mean a second rule with the same head?)"),
        ("a if b.", 1, 3, "unexpected if (did you mean :-?)"),
        ("# all\na :- b.", 1, 1, "unexpected # (did you mean %, with which a comment begins?)"),
        ("a :- b.\n# all\na :- b.", 2, 1, "(did you mean %, with which a comment begins?)"),
        ("a :- b(N), N == 3.", 1, 15, "unexpected = (did you mean one = alone?)"),
        ("a :- b(N), N => 3.", 1, 15, "unexpected > (did you mean >=?)"),
        ("a :- b; c.", 1, 7, "expected a comma between conditions, and a full stop after a rule"),
        ("a :- b || c.", 1, 8, "expected a second rule with the same head"),
        ("a :- asserts b.", 1, 14, "unexpected b (did you mean asserted?)"),
        ("remembre a. a :- b.", 1, 10, "unexpected a (did you mean remember?)"),
        ("a :- b in [5] at 3.", 1, 15, "unexpected at; expected"),
        ("a :- b at T at U in [3].", 1, 13, "unexpected at; expected"),
        ("a :- diamond b always in [3].", 1, 6, "temporal operators cannot be nested"),
        ("a :- ⊞5 ◇ b in [3].", 1, 6, "temporal operators cannot be nested"),
        ("a :- diamond(b in [3]).", 1, 6, "temporal operators cannot be nested"),
        ("a :- asserted(b.", 1, 16, "expected ')' after the atom: asserted(hot(X)) in [5]"),
        ("a :- ⊞⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰¹ ◇ b.", 1, 7, "expected a whole number, at least 0, below 10^18"),
        ("a :- b in [5 minuts].", 1, 14, "minuts is not a unit (did you mean minutes?); [5] for ticks"),
        ("a :- b at leest 3 times in [3].", 1, 11, "leest is not a time (did you mean least?)"),
        (
            "a :- b",
            1,
            7,
            "unexpected end of the text; expected a comma and another condition, or a full stop",
        ),
        ("a", 1, 2, "unexpected end of the text; expected ':-' and a body, or a full stop"),
        ("a in [3] :- b.", 1, 3, "a head cannot have a window"),
        ("a at T in [3] :- b(T).", 1, 8, "a head cannot have a window"),
        ("box(a) in [3] :- b.", 1, 8, "a head cannot have a window"),
        ("box(a) :- b.", 1, 1, "a head cannot have a window"),
        ("time_win(3,0,1,@(T,a)) :- b(T).", 1, 1, "a head cannot have a window"),
        ("not a :- b.", 1, 1, "a head cannot be negated"),
        ("asserted a :- b.", 1, 1, "a head cannot have the word asserted"),
        (":- b.", 1, 1, "this rule has no head"),
        ("a :- ex:b.", 1, 6, "the prefix ex: is not declared; expected a line @prefix ex:"),
        ("a :- b(ex:c).", 1, 8, "the prefix ex: is not declared"),
        (
            "Alarm(X) :- b(X).",
            1,
            1,
            "Alarm is read as a variable, by its first letter; expected a predicate:",
        ),
        ("a(X) :- Hot(X).", 1, 9, "Hot is read as a variable"),
        ("a(X) :- b(X), not X.", 1, 19, "X is read as a variable"),
        ("a(X) :- b(X), not X < 5.", 1, 15, "a comparison cannot be negated; expected its opposite"),
        (
            "a(X) :- b(X), X in [5].",
            1,
            15,
            "X is read as a variable, by its first letter; expected a comp",
        ),
        (
            "a :- @T b in [5].",
            1,
            6,
            "temporal operators cannot be nested; expected one window with one of",
        ),
        ("a :- not(b) in [5].", 1, 13, "unexpected in"),
        ("a :- diamond(box(b)).", 1, 6, "temporal operators cannot be nested"),
        (
            "a :- time_win(3,0,1,diamond(time_win(3,0,1,box(b)))).",
            1,
            21,
            "temporal operators cannot be nested",
        ),
        ("a :- time_win(3,0,1,b in [5]).", 1, 6, "temporal operators cannot be nested"),
        ("a :- b always.", 1, 6, "always needs a window; expected a window such as [5 min]"),
        ("a :- diamond(b).", 1, 6, "sometime needs a window"),
        ("a :- b at least 3 times.", 1, 6, "at least … times needs a window"),
        ("a :- b at least some times in [3].", 1, 17, "expected a number of times: a whole number above 0"),
        ("a :- b in [0 #].", 1, 12, "0 is not a valid size of a window; expected a whole number, at least 1"),
        ("a :- tuple_win(0,diamond(b)).", 1, 16, "0 is not a valid size of a window"),
        ("a :- b in [1.5].", 1, 12, "1.5 is not a valid size of a window"),
        ("a :- b in [0.0001 ms].", 1, 12, "a whole number of microseconds"),
        ("a :- b in [1e99999999999 d].", 1, 12, "a length below a billion days"),
        ("a :- b in [PT5X].", 1, 12, "expected a duration such as 5m, 1 h 30 min or PT5M"),
        ("a :- b in [P1Y].", 1, 12, "PT5M; months and years vary in length"),
        ("a :- b in 5.", 1, 11, "expected a window such as [5 min]"),
        ("a :- b in [5 min.", 1, 17, "expected ] after the window"),
        ("a :- tuple_win(3,b).", 1, 6, "a window of the last assertions has no temporal operator"),
        ("a :- time_win(3,2,1,diamond(b)).", 1, 17, "this window extends into the future; expected 0"),
        ("a :- time_win(3,0,5,diamond(b)).", 1, 19, "this window moves in steps; expected 1"),
        ("a(T) :- time_win(3,0,1,@(T,not(b))).", 1, 24, "an @ cannot contain a negation"),
        (
            "a :- in.",
            1,
            6,
            "in is a reserved word; expected a predicate",
        ),
        ("a :- b(X", 1, 9, "unexpected end of the text; expected a comma and another argument, or ')'"),
        ("a :- (b.", 1, 8, "unexpected .; expected ')'"),
        ("a :- b).", 1, 7, "unexpected )"),
        ("a(X) :- b(X), X <.", 1, 18, "expected a variable such as X"),
        ("a(X) :- b(X), 5.", 1, 16, "expected a comparison: ="),
        ("a(X) :- b(X), COMP(+,X,5).", 1, 20, "expected a comparison"),
        ("a(X) :- b(X), MATH(<,X,5,5).", 1, 20, "expected a sign"),
        ("a(X) :- b(X), MATH(+,X,5).", 1, 25, "expected MATH(+, result, X, Y)"),
        ("@c a :- b.", 1, 2, "c is not a time"),
        ("a :- b at c.", 1, 11, "c is not a time; expected a variable, a number, or T + 1"),
        ('a :- b("x).', 1, 8, "this string is not closed on its line"),
        ("a :- 'x.", 1, 6, "this quoted name is not closed on its line"),
        ("a :- 'x y'.", 1, 6, "'x y' is not part of an IRI"),
        ("a :- 'http://e/x y'.", 1, 6, "'http://e/x y' is not part of an IRI"),
        ("a :- 'no:x'(X).", 1, 6, "the prefix no: is not declared"),
        ('a :- b("\\q").', 1, 8, "\\q is not a valid escape"),
        ('a :- b("\\ud800").', 1, 8, "\\ud800 is not a valid escape"),
        ('a :- b("x"^^5).', 1, 13, "expected a datatype such as xsd:date"),
        ("a :- <b>.", 1, 6, "<b> is relative"),
        ("a :- /* b.", 1, 6, "this comment is not closed; expected a closing */"),
        ("a :- b & c.", 1, 8, "unexpected '&'"),
        ("a :- b(?).", 1, 8, "the name of a variable is missing"),
        ("a :- b('\ud800').", 1, 9, "an unpaired surrogate"),
        ("@prefix ex <urn:a>.", 1, 9, "expected a prefix such as ex:"),
        ("@prefix ex: urn.", 1, 13, "expected an IRI such as"),
        ("remember a", 1, 11, "expected a comma and another predicate, or a full stop"),
        (f"a :- b({'9' * 5000}).", 1, 8, "a number of 5000 digits; expected at most 1000"),
    ],
)
def test_a_mistake_is_told_of_where_it_is(text, line, column, said):
    with pytest.raises(TemporalTextError) as told:
        read_rules(text, PREFIXES)
    error = told.value
    assert (error.line, error.column) == (line, column)
    assert said in str(error)
    assert error.source_line == text.split("\n")[line - 1]
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_message_has_the_line_and_a_mark_below_the_place():
    with pytest.raises(TemporalTextError) as told:
        read_rules("a :- b.\nc :- d in [5 fort].", PREFIXES)
    assert str(told.value).split("\n")[1:] == ["    c :- d in [5 fort].", "                 ^"]


def test_a_byte_order_mark_and_the_line_ends_of_windows_are_in_no_column():
    assert read_rules("\ufeffa :- b.\r\n% c\r\n", PREFIXES).rules == read_rules("a :- b.", PREFIXES).rules
    with pytest.raises(TemporalTextError) as told:
        read_rules("\ufeffa :- f:b.\r\n", PREFIXES)
    error = told.value
    assert (error.line, error.column, error.source_line) == (1, 6, "a :- f:b.")


def test_a_bare_name_needs_a_default_prefix():
    with pytest.raises(TemporalTextError, match="a has no prefix, and the text no default one; expected"):
        read_rules("a :- b.")


@pytest.mark.parametrize(
    "text",
    [
        "a :- " + "(" * 20_000 + "b" + ")" * 20_000 + ".",
        "a :- " + "not " * 20_000 + "b.",
        "a :- " + "not(" * 20_000 + "b" + ")" * 20_000 + ".",
        "a(X) :- b(X), X < " + "1 + " * 10_000 + "1.",
    ],
)
def test_depth_has_no_bound_but_that_of_the_text(text):
    assert len(read_rules(text, PREFIXES).rules) == 1


@pytest.mark.parametrize(
    "text",
    [
        "(" * 40_000,
        "a-" * 40_000,
        "%*" * 40_000,
        "%*\n" * 20_000,
        '"' * 40_001,
        ":" * 40_000,
        "a" * 80_000,
    ],
    ids=lambda text: text[:3],
)
def test_a_text_that_leads_nowhere_costs_what_it_is_long(text):
    with pytest.raises(TemporalTextError):
        read_rules(text, PREFIXES)


@pytest.mark.parametrize(
    ("written", "iri"),
    [
        ("'http://ex.org/s#p'", "http://ex.org/s#p"),
        ("'https://ex.org/a:b'", "https://ex.org/a:b"),
        ("'urn:x:y'", "urn:x:y"),
        ("'tag:ex.org,2026:p'", "tag:ex.org,2026:p"),
        ("'p'", "http://default/p"),
        ("'p-q/r'", "http://default/p-q/r"),
        ("'ex:p'", "http://declared/p"),
        ("'http:p'", "http://of-prefix/p"),
    ],
)
def test_a_quoted_name_is_an_iri_a_prefixed_name_or_of_the_default_prefix(written, iri):
    prefixes = {"": "http://default/", "ex": "http://declared/", "http": "http://of-prefix/"}
    if written.startswith("'http://"):
        del prefixes["http"]
    for text in (f"{written}(X) :- b(X).", f"a(X) :- {written}(X, Y).", f"a(X) :- b(X, {written})."):
        program = read_rules(text, prefixes)
        atoms = [formula.atom for rule in program.rules for formula in rule.formulas]
        assert iri in {str(term) for atom in atoms for term in (atom.predicate, *atom.arguments)}


@pytest.mark.parametrize("name", ["'p'", "p", "'no:p'", "no:p", "'p/q'"])
def test_a_name_that_nothing_begins_is_refused(name):
    with pytest.raises(TemporalTextError, match=r"no default one|is not declared"):
        read_rules(f"<urn:a>(X) :- {name}(X).", {})


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("q(X) :- p(Y), X = Y.", "q(Y) :- p(Y)."),
        ("q(X) :- p(Y), Y = X.", "q(Y) :- p(Y)."),
        ("q(X) :- p, X = bob.", "q(bob) :- p."),
        ("q(X, Y) :- p, X = 5, Y = X.", "q(5, 5) :- p."),
        ("q(X, Y) :- p, Y = X, X = 5.", "q(5, 5) :- p."),
        ("q(X) at T :- p, T = 3, X = T, not r(X) at T.", "q(3) at 3 :- p, not r(3) at 3."),
        ("q(X) :- p(X) at T, T = 7.", "q(X) :- p(X) at 7."),
        ("q(X) :- p(X, Y), X = Y.", "q(X) :- p(X, Y), X = Y."),
        ("q(X) :- p(X), X = 5.", "q(X) :- p(X), X = 5."),
        ("q(X) at T :- p(X) at T - 1 in [5].", "q(X) at T :- p(X) at _1 in [5], T = _1 + 1."),
        ("q(X) at T :- p(X) at T + 1 in [5].", "q(X) at T :- p(X) at _1 in [5], T = _1 - 1."),
        ("q(X) at T :- p(X) at 9 - T in [5].", "q(X) at T :- p(X) at _1 in [5], T = 9 - _1."),
        ("q(X) at T :- p(X) at 9 + T in [5].", "q(X) at T :- p(X) at _1 in [5], T = _1 - 9."),
        (
            "q at T :- p at T - 1 in [5], r at T - 2 in [5].",
            "q at T :- p at _1 in [5], r at _2 in [5], T = _1 + 1, _2 = T - 2.",
        ),
        ("q(X) :- p(Y), Y = X + 1, r(X).", "q(X) :- p(Y), r(X), Y = X + 1."),
        ("q(Z) :- p(X), Z = X + 1.", "q(Z) :- p(X), Z = X + 1."),
        ("q(Z) :- Y = Z + X, p(X), Y = X * 2.", "q(Z) :- p(X), Z = Y - X, Y = X * 2."),
        ("q(X) :- p(Y), Y = X * 2, r(X).", "q(X) :- p(Y), r(X), Y = X * 2."),
    ],
)
def test_an_equation_is_turned_where_nothing_else_says_it(text, reading):
    (rule,) = pr.load_rules(text, prefixes={"": "http://example.org/"}).rules
    assert str(rule) == reading


@pytest.mark.parametrize(
    "text",
    ["q(X) :- p, X = X.", "q(X) :- p(Y), Y = X + X.", "q(X) :- p(Y), Y = X * 2.", "q(X, Y) :- p, X = Y."],
)
def test_what_no_equation_says_stays_unsafe(text):
    with pytest.raises(pr.TemporalRuleError, match="is not bound"):
        pr.load_rules(text, prefixes={"": "http://example.org/"})


def test_long_chains_of_computations_cost_linear_time():
    chain = ", ".join(f"X{n} = X{n + 1} + 1" for n in range(5000))
    rules = pr.load_rules(f"q(X0) :- {chain}, p(X5000).", prefixes={"": "http://example.org/"})
    assert len(rules.rules[0].tests) == 5000


def test_a_quoted_absolute_iri_is_that_iri_as_in_the_programs_of_laser():
    name = "http://example.org/stream/predicate#"
    text = f"'{name}p1'(X,Y) :- time_win(5, 0, 1, diamond('{name}p'(X,Y)))."
    (rule,) = read_rules(text, {"": "urn:other#"}).rules
    assert rule.head.atom.predicate == URIRef(f"{name}p1")
    assert rule.body[0].atom.predicate == URIRef(f"{name}p")
