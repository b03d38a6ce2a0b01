"""Following a stream: what is counted, what is said, and how an unknown format is told."""

import json
from contextlib import nullcontext

import pytest
import typer
from pyarrow import parquet
from rdflib import RDF

import pantarhei as pr
from pantarhei.cli.follow import FileSource, follow, naming_format
from pantarhei.cli.run_options import RunOptions
from pantarhei.cli.run_report import RunCounts
from pantarhei.errors import (
    LateABoxError,
    OptionError,
    QueryError,
    QueryTimeoutError,
    TemporalRuleError,
    UnknownFormatError,
)
from pantarhei.io.reader import Skipped
from strategies import A, C, a, b, member

ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:A a owl:Class ; rdfs:subClassOf :B . :B a owl:Class ; owl:disjointWith :C . :C a owl:Class .
"""


class Given:
    """A source whose ABoxes are given, and its account."""

    size = bytes_read = None

    def __init__(self, *aboxes, skipped=0, ends_with=None):
        self.aboxes, self.ends_with = aboxes, ends_with
        self.account, self.skipped_count = self, skipped
        self.skipped = [Skipped(line, f"why {line}", "text") for line in range(min(skipped, 30))]

    def updates(self, reasoner, counts):
        for at, *triples in self.aboxes:
            counts.note(len(triples))
            yield reasoner.push(at, triples)
        if self.ends_with is not None:
            raise self.ends_with


@pytest.fixture
def options(tmp_path):
    (tmp_path / "o.ttl").write_text(ONTOLOGY)

    def made(stream="-", **more):
        return RunOptions([str(tmp_path / "o.ttl")], str(stream), more.pop("range", "2"), **more)

    return made


@pytest.fixture
def quads(tmp_path):
    path = tmp_path / "stream.nq"

    def written(*times):
        path.write_text("".join(f"<{a}> <{RDF.type}> <{A}> <urn:{time}> .\n" for time in times))
        return path

    return written


def test_an_update_is_a_line_with_what_came_and_went_and_what_was_removed(options, capsys):
    follow(options(), Given((1, member(A, a)), (2, member(C, a)), (9, member(A, b))))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1  window -1 to 1: 2 facts, +2 -0"
    assert lines[1] == "2  window 0 to 2: 1 fact, +1 -2" and lines[2].startswith(
        "    at 2 removed: a is in class A (at 1), "
    )
    assert lines[3] == "9  window 7 to 9, 2 timestamps expired: 2 facts, +2 -1"


def test_the_summary_counts_what_went_by(options, capsys):
    follow(options(), Given((1, member(A, a), member(A, b)), (2, member(C, a)), skipped=12))
    summary, *skipped, more = capsys.readouterr().err.splitlines()
    assert summary == "2 ABoxes, 3 assertions, 1 fact cut, 12 skipped, 3 facts in the window"
    assert skipped == [f"  skipped line {line}: why {line}" for line in range(10)]
    assert more == "  … and 2 more"


def test_an_interrupt_is_passed_on_after_the_summary(options, capsys):
    with pytest.raises(KeyboardInterrupt):
        follow(options(), Given((1, member(A, a)), ends_with=KeyboardInterrupt()))
    assert capsys.readouterr().err.startswith("1 ABox, 1 assertion")


def test_rows_say_of_each_update_what_a_line_says(options, capsys):
    follow(options(format="csv"), Given((1, member(A, a)), (2, member(C, a))))
    assert capsys.readouterr().out.splitlines() == [
        "at,start,end,facts,added,removed,cut",
        "1,-1,1,2,2,0,",
        "2,0,2,1,1,2,A(a) at 1",
    ]


def test_a_query_that_is_none_is_named_by_its_file_before_the_stream_is_read(options, tmp_path):
    (tmp_path / "q.rq").write_text("SELECT nothing")
    with pytest.raises(QueryError, match=r"q\.rq: "):
        follow(options(query=tmp_path / "q.rq"), Given(ends_with=ZeroDivisionError()))


def test_a_query_may_take_as_long_as_is_given_for_each_answer(options, tmp_path, capsys):
    (tmp_path / "q.rq").write_text("SELECT ?x { ?x ?p ?c }")
    asked = {"query": tmp_path / "q.rq", "format": "csv"}
    follow(options(**asked, query_timeout=60), Given((1, member(A, a))))
    assert len(capsys.readouterr().out.splitlines()) == 3
    with pytest.raises(QueryTimeoutError):
        follow(options(**asked, query_timeout=1e-9), Given((1, member(A, a))))


def test_late_aboxes_are_counted_where_errors_are_skipped_and_raised_else(options, quads):
    stream, counts = quads(3, 2, 4), RunCounts()
    from pantarhei import Ontology, StreamReasoner, Window

    def reasoner():
        return StreamReasoner(Ontology.from_rules([]), Window(5))

    updates = FileSource(options(stream, on_error="skip")).updates(reasoner(), counts)
    assert [update.at for update in updates] == [3, 4]
    assert (counts.aboxes, counts.assertions, counts.left_out.counts) == (2, 2, {"late": 1})
    with pytest.raises(LateABoxError):
        list(FileSource(options(stream)).updates(reasoner(), RunCounts()))
    waiting = options(stream, on_error="skip", allowed_lateness="2")
    assert [update.at for update in FileSource(waiting).updates(reasoner(), RunCounts())] == [2, 3, 4]


def test_an_unknown_format_is_told_by_the_option_that_gives_it_or_by_none():
    for option in ("stream_format", None):
        with pytest.raises(UnknownFormatError) as raised, naming_format(option):
            raise UnknownFormatError("format", "stream.txt", (".nq",), ("nquads",))
        assert (raised.value.option, raised.value.source) == (option, "stream.txt")


# queries that are kept up to date

WINDOW = "SELECT ?x FROM STREAM <urn:s> [RANGE 2 STEP 2] { ?x a ?c FILTER(?c = <http://example.org/A>) }"


def out(capsys):
    return capsys.readouterr().out.splitlines()


def test_changes_are_rows_that_came_and_rows_that_went(options, capsys):
    asked = options(query="SELECT ?x { ?x a :A }", emit="changes", format="csv")
    follow(asked, Given((1, member(A, a)), (2, member(A, b)), (3, member(C, a)), (9,)))
    assert out(capsys) == ["at,change,x", f"1,+,{a}", f"2,+,{b}", f"3,-,{a}", f"9,-,{b}"]


def test_tsv_and_parquet_have_the_rows_of_csv(options, tmp_path, capsys):
    given = Given((1, member(A, a)), (2, member(A, b)), (3, member(C, a)))
    text = "SELECT ?x { ?x a :A }"
    follow(options(query=text, emit="changes", format="tsv"), given)
    assert [line.split("\t")[1:] for line in out(capsys)] == [
        ["?change", "?x"], ['"+"', f"<{a}>"], ['"+"', f"<{b}>"], ['"-"', f"<{a}>"]
    ]  # fmt: skip
    path = tmp_path / "answers.parquet"
    follow(options(query=text, emit="changes", output=str(path)), given)
    columns = {"at": [1, 2, 3], "change": ["+", "+", "-"], "x": [str(a), str(b), str(a)]}
    assert parquet.read_table(path).to_pydict() == columns
    path.unlink()
    follow(options(output=str(path)), given)  # without a query the counts of each update
    assert parquet.read_table(path).to_pydict()["facts"] == [2, 4, 3]


def test_parquet_needs_a_file(options):
    with pytest.raises(OptionError, match=r"needs a file. Pass it: output=FILE"):
        follow(options(query="ASK {}", format="parquet"), Given(ends_with=ZeroDivisionError()))


@pytest.mark.parametrize("format_", ["csv", "tsv", "parquet", "ndjson", "table"])
@pytest.mark.parametrize("text", ["SELECT ?change { ?change a :A }", WINDOW.replace("?x", "?change")])
def test_a_variable_that_would_take_the_column_of_the_sign_is_refused(options, format_, text, tmp_path):
    length = None if text.startswith("SELECT ?change FROM") else "2"
    target = tmp_path / "answers"
    given = {"query": text, "range": length, "format": format_, "output": str(target)}
    with pytest.raises(OptionError, match=r"column change already.*\(\?change AS \?other\)") as raised:
        follow(options(**given, emit="changes"), Given((1, member(A, a))))
    assert (raised.value.option, raised.value.given) == ("query", "?change")
    assert not target.exists()
    follow(options(**given), Given((1, member(A, a))))
    assert b"change" in target.read_bytes()  # it is the name of the one column


@pytest.mark.parametrize("emit", ["answers", "changes"])
def test_the_time_has_a_column_of_its_own_or_the_query_is_refused(options, emit, capsys):
    text = "SELECT ?at ?window_at { ?at a ?window_at }"
    for format_ in ("csv", "ndjson"):
        with pytest.raises(OptionError, match="column window_at already"):
            follow(options(query=text, format=format_, emit=emit), Given((1, member(A, a))))
    follow(options(query=text, emit=emit), Given((1, member(A, a))))  # a table has no column of times
    follow(options(query="SELECT ?at { ?at a :A }", emit=emit, format="csv"), Given((1, member(A, a))))
    assert out(capsys)[-1].startswith("1,")


def test_what_holds_before_the_stream_came_with_its_first_timestamp(options, tmp_path, capsys):
    (tmp_path / "b.nt").write_text(f"<{a}> <{RDF.type}> <{A}> .\n")
    asked = {"query": "ASK { ?x a :A }", "emit": "changes", "format": "csv"}
    follow(options(**asked, background=[tmp_path / "b.nt"]), Given((1, member(A, b)), (2,)))
    assert out(capsys) == ["at,change,answer", "1,+,true"]


def test_a_text_with_a_window_reports_as_it_says(options, capsys):
    follow(options(query=WINDOW, range=None, format="csv"), Given((1, member(A, a)), (3, member(A, b))))
    assert out(capsys) == ["at,x", f"2,{a}", f"4,{b}"]


def test_the_ends_of_a_texts_window_may_be_said(options, capsys):
    follow(
        options(query=WINDOW, range=None, format="csv", closed="both", emit="changes"),
        Given((2, member(A, a)), (3, member(A, b))),
    )
    assert out(capsys) == ["at,change,x", f"2,+,{a}", f"4,+,{b}"]  # at 4 it holds what came at 2 too


@pytest.mark.parametrize("closed", ["both", "right", "left"])
def test_the_ends_of_a_texts_window_are_those_that_register_takes(options, closed, capsys):
    aboxes = [(1, [member(A, a)]), (2, [member(A, b)]), (3, []), (6, [member(A, a)])]
    asked = options(query=WINDOW, range=None, format="csv", closed=closed)
    follow(asked, Given(*((at, *triples) for at, triples in aboxes)))
    query = pr.register(WINDOW, pr.load_ontology(asked.ontology), {"urn:s": aboxes}, closed=closed)
    reported = [f"{at},{x}" for at, added, _ in query.run() for x in sorted(x for (x,) in added)]
    assert [line for line in out(capsys)[1:] if not line.endswith(",")] == reported
    assert (f"2,{b}" in reported) is (closed != "left") and f"2,{a}" in reported


def test_a_text_with_a_window_reports_changes_where_these_are_asked_for(options, tmp_path, capsys):
    (tmp_path / "q.rq").write_text(WINDOW)
    asked = options(query=tmp_path / "q.rq", range=None, format="csv", emit="changes")
    follow(asked, Given((1, member(A, a)), (3, member(A, b))))
    assert out(capsys) == ["at,change,x", f"2,+,{a}", f"4,-,{a}", f"4,+,{b}"]


def test_a_text_may_have_several_windows_over_the_stream(options, capsys):
    text = (
        f"SELECT ?x ?y {{ STREAM <urn:s> [NOW] {{ ?x a <{A}> }} STREAM <urn:s> [RANGE 4] {{ ?y a <{A}> }} }}"
    )
    given = Given((2, member(A, a)), (4, member(A, b)), (9, member(A, a)))
    follow(options(query=text, range=None, format="csv"), given)
    assert out(capsys) == ["at,x,y", f"2,{a},{a}", f"4,{b},{a}", f"4,{b},{b}", f"9,{a},{a}"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "SELECT ?x FROM STREAM <urn:s> [RANGE 2 STEP 0] { ?x a ?c }",
            "a step of 0; expected a step above 0",
        ),
        ("SELECT ?x FROM STREAM <urn:s> [TRIPLES 2] { ?x a ?c }", "counts triples"),
        ("SELECT ?x FROM STREAM <urn:s> [RANGE 2 STEP 2] FROM <urn:g> { ?x a ?c }", "--background"),
        (
            "SELECT ?x { STREAM <urn:s> [NOW] { ?x a ?c } STREAM <urn:s> [ALL] { ?x a ?d } }",
            "window <urn:pantarhei:window:2> has no end",
        ),
        (
            "SELECT ?x { STREAM <urn:s> [NOW] { ?x a ?c } ?x a ?d }",
            "the query reads the default graph, but all its windows are named",
        ),
        (
            "SELECT ?x { STREAM <urn:s> [NOW] { ?x a ?c } STREAM <urn:t> [NOW] { ?x a ?d } }",
            "several streams",
        ),
    ],
)
def test_a_text_that_cannot_be_followed_is_refused_with_the_reason(options, text, reason):
    with pytest.raises(QueryError, match=reason):
        follow(options(query=text, range=None), Given())


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"query": WINDOW, "range": "2"}, "--range"),
        ({"query": WINDOW, "range": None, "slide": "1"}, "--slide"),
        ({"query": "ASK { ?x a ?c }", "range": None}, "--range"),
        ({"emit": "changes"}, "--emit"),
        ({"derive": "needed"}, "--derive"),
        ({"query": WINDOW, "range": None, "query_timeout": 1.0}, "--query-timeout"),
        ({"query": "ASK { ?x a ?c }", "emit": "changes", "query_timeout": 1.0}, "--query-timeout"),
    ],
)
def test_options_that_do_not_go_with_the_query_are_named(options, given, option):
    with pytest.raises(typer.BadParameter) as error:
        follow(options(**given), Given())
    assert error.value.param_hint == option


def test_what_the_query_needs_is_enough_for_its_answers_and_changes(options, capsys):
    for emit in ("answers", "changes"):
        written = []
        for derive in ("all", "needed"):
            asked = options(query="SELECT ?x { ?x a :B }", emit=emit, format="csv", derive=derive)
            follow(asked, Given((1, member(A, a)), (2, member(A, b)), (3, member(C, a)), (9,)))
            written.append(out(capsys))
        assert written[0] == written[1]


@pytest.mark.parametrize("ends_with", [None, KeyboardInterrupt()])
def test_what_has_left_the_window_is_written_in_the_end(options, tmp_path, ends_with):
    path = tmp_path / "history.ndjson"
    given = Given((1, member(A, a)), (2, member(C, a)), (9, member(A, b)), ends_with=ends_with)
    with nullcontext() if ends_with is None else pytest.raises(KeyboardInterrupt):
        follow(options(history=str(path)), given)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["timestamp"], line["fate"], line["at"]) for line in lines] == [
        (1, "cut", 2),
        (2, "left", 9),
    ]


def test_a_history_that_cannot_be_written_is_an_error_at_once(options, tmp_path):
    with pytest.raises(typer.BadParameter, match=r"nowhere does not exist; name a file"):
        follow(options(history=str(tmp_path / "nowhere" / "history.ndjson")), Given())


# temporal rules


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.lars"
    path.write_text("was(X) :- asserted :A(X) in [1].\nfor(X) :- was(X) in [1].\n")
    return path


# at:            1   2   3        9
# asserted A(a)  x
# was, for       |=======|
def test_conclusions_are_lines_with_the_time_they_came_or_went_at(options, rules, capsys):
    follow(options(rules=rules), Given((1, member(A, a)), (9, member(A, b))))
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        *("1  + for(a)", "1  + was(a)"),
        *("3  - for(a)", "3  - was(a)"),
        *("9  + for(b)", "9  + was(b)"),
    ]
    warning, summary = err.splitlines()
    assert warning.startswith("warning: line 2, column 11: was(X) in [1] reads conclusions")
    assert summary.endswith(" facts in the window, 4 conclusions began, 2 ended")


def test_conclusions_are_changes_and_what_they_need_is_enough(options, rules, capsys):
    given = {"rules": rules, "format": "csv", "emit": "changes", "derive": "needed"}
    follow(options(**given), Given((1, member(A, a))))
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_beside_a_query_conclusions_are_counted(options, rules, tmp_path, capsys):
    (tmp_path / "q.rq").write_text("SELECT ?x { ?x a <http://example.org/B> }")
    follow(options(rules=rules, query=tmp_path / "q.rq", format="csv"), Given((1, member(A, a))))
    out, err = capsys.readouterr()
    assert out.splitlines() == ["at,x", f"1,{a}"] and err.endswith("2 conclusions began, 0 ended\n")


def test_a_query_of_several_windows_finds_no_conclusions_and_is_refused(options, rules):
    text = "ASK { STREAM <urn:s> [NOW] { ?x a ?c } STREAM <urn:s> [RANGE 4] { ?y a ?c } }"
    with pytest.raises(
        QueryError, match="belong to one window, but the query has named windows; omit --rules"
    ):
        follow(options(rules=rules, query=text, range=None), Given())


@pytest.mark.parametrize("emit", ["answers", "changes"])
def test_a_query_finds_conclusions_among_the_facts_or_in_their_graph(options, rules, emit, capsys):
    given = {"rules": rules, "format": "csv", "emit": emit}
    plain = "SELECT ?x { ?x a <http://example.org/was> }"
    named = plain.replace("{", "{ GRAPH <urn:pantarhei:conclusions> {").replace("}", "}}")
    for told in (
        {"query": plain},
        {"query": plain, "conclusions": "graph"},
        {"query": named},
        {"query": named, "conclusions": "graph"},
    ):
        follow(options(**given, **told), Given((1, member(A, a)), (2,), (9, member(A, b))))
        found = [line.split(",")[-1] for line in capsys.readouterr().out.splitlines()[1:]]
        seen = {"answers": [a, a, b], "changes": [a, a, b]}[emit]
        assert found == ([] if told == {"query": plain, "conclusions": "graph"} else list(map(str, seen)))


def test_rules_that_are_refused_are_told_before_the_stream_is_read(options, tmp_path):
    path = tmp_path / "rules.lars"
    path.write_text("a(X) :- :A(X) in [3 min].\n")
    with pytest.raises(TemporalRuleError, match="line 1, column 9"):
        follow(options(rules=path), Given(ends_with=ZeroDivisionError()))
