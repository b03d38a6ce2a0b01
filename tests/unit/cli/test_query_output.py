"""`--static IRI=FILE`: static graphs of texts in stream languages, as `register` takes them."""

import csv
from collections import Counter

import pytest
from rdflib import RDF, Graph, Namespace
from typer.testing import CliRunner

import pantarhei as pr
from pantarhei.cli.commands import app
from pantarhei.cli.query_output import static_graphs
from pantarhei.errors import QueryError

E = Namespace("http://e/")
ONTOLOGY = "<http://e/Hot> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/On> ."
PLAN = "@prefix : <http://e/> . :a :in :hall . :b :in :lab . :z a :Hot ; :in :attic ."
MORE = "@prefix : <http://e/> . :a :in :roof ."
STREAM = [(1, "a", "On"), (2, "b", "Hot"), (5, "a", "Hot"), (6, "c", "On")]
HEAD = "PREFIX : <http://e/> "
TEXTS = [
    "SELECT ?x ?r FROM STREAM <urn:s> [RANGE 2 STEP 1] FROM <urn:plan> { ?x a :On ; :in ?r }",
    "REGISTER QUERY q AS SELECT ?x ?r FROM STREAM <urn:s> [RANGE 3 STEP 2] FROM <urn:plan> FROM <urn:more> "
    "{ ?x a :On ; :in ?r }",
    "SELECT ?x ?r FROM STREAM <urn:s> [RANGE 2 STEP 1] FROM NAMED <urn:plan> "
    "{ ?x a :On . GRAPH <urn:plan> { ?x :in ?r } }",
    "REGISTER RSTREAM <o> AS SELECT ?x ?r FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE 2 STEP 1] "
    "FROM <urn:plan> { WINDOW <urn:w> { ?x a :On } ?x :in ?r }",
    "REGISTER ISTREAM <o> AS SELECT ?x ?r FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE 2 STEP 1] "
    "FROM NAMED <urn:plan> FROM NAMED <urn:more> "
    "{ WINDOW <urn:w> { ?x a :On } GRAPH <urn:plan> { ?x :in ?r } GRAPH <urn:more> { ?x :in ?s } }",
    "SELECT ?x ?r { STREAM <urn:s> [RANGE 2] { ?x a :On } GRAPH <urn:plan> { ?x :in ?r } }",
    "SELECT (COUNT(*) AS ?n) FROM STREAM <urn:s> [RANGE 2 STEP 1] FROM <urn:plan> { ?x a :On }",
]


@pytest.fixture
def files(tmp_path):
    paths = {name: tmp_path / name for name in ("o.ttl", "plan.ttl", "more.ttl", "s.nq")}
    for name, text in (("o.ttl", ONTOLOGY), ("plan.ttl", PLAN), ("more.ttl", MORE)):
        paths[name].write_text(text)
    lines = [f"<{E[who]}> <{RDF.type}> <{E[what]}> <urn:t:{at}> .\n" for at, who, what in STREAM]
    paths["s.nq"].write_text("".join(lines))
    return paths


@pytest.fixture
def run(files):
    def invoke(text, *arguments):
        given = ["run", "--ontology", files["o.ttl"], "--stream", files["s.nq"], "--format", "csv"]
        return CliRunner().invoke(app, list(map(str, [*given, "--query", HEAD + text, *arguments])))

    return invoke


def both(files):
    return [part for name in ("plan", "more") for part in ("--static", f"urn:{name}={files[f'{name}.ttl']}")]


def names(text, files):
    """The options for the graphs that a text names."""
    given = both(files)
    return [part for at in (0, 2) if given[at + 1].split("=")[0] in text for part in given[at : at + 2]]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_answered_as_register_does(text, run, files):
    done = run(text, *names(text, files), *(["--emit", "changes"] if "STREAM <o>" not in text else []))
    assert done.exit_code == 0, done.output
    rows = list(csv.reader(done.stdout.splitlines()))[1:]
    query = pr.register(
        HEAD + text,
        pr.load_ontology(files["o.ttl"]),
        {"urn:s": [(at, [(E[who], RDF.type, E[what])]) for at, who, what in STREAM]},
        {f"urn:{name}": Graph().parse(files[f"{name}.ttl"]) for name in ("plan", "more")},
    )
    expected, before = [], Counter()
    for report in query.run():
        now = Counter({tuple(map(str, row)): n for row, n in report.added.items()})
        if "STREAM <o>" in text:
            expected += [(str(report.at), row) for row in now.elements()]
        elif not text.startswith("SELECT ?x ?r { STREAM"):
            expected += [(str(report.at), "+", row) for row in (now - before).elements()]
            expected += [(str(report.at), "-", row) for row in (before - now).elements()]
            before = now
        else:  # CQELS reports what came alone
            expected += [(str(report.at), "+", row) for row in now.elements()]
    if "STREAM <o>" in text:
        found = [(at, tuple(row)) for at, *row in rows if any(row)]
    else:
        is_cqels = text.startswith("SELECT ?x ?r { STREAM")
        found = [(at, sign, tuple(row)) for at, sign, *row in rows if sign == "+" or (sign and not is_cqels)]
    assert sorted(found) == sorted(expected)


def test_several_files_of_one_graph_are_together(run, files):
    text = "SELECT ?x ?r FROM STREAM <urn:s> [RANGE 1 STEP 1] FROM <urn:plan> { ?x a :On ; :in ?r }"
    done = run(text, "--static", f"urn:plan={files['plan.ttl']}", "--static", f"urn:plan={files['more.ttl']}")
    assert {"http://e/hall", "http://e/roof"} <= set(done.stdout.replace(",", "\n").split())


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ([], 1, ("the query reads the graph <urn:plan>, which is not given", "--static urn:plan=FILE")),
        (["--static", "urn:plan=none.ttl"], 1, ("none.ttl cannot be read",)),
        (["--static", "plan"], 2, ("is not of the form IRI=FILE",)),
        (["--static", "=plan.ttl"], 2, ("is not of the form IRI=FILE",)),
        (
            ["--static", "urn:plam=plan.ttl"],
            2,
            ("<urn:plam> is not a static graph", "did you mean urn:plan?"),
        ),
    ],
)
def test_what_is_wrong_with_a_static_graph_is_told(run, arguments, code, parts):
    done = run(TEXTS[0], *arguments)
    text = " ".join(done.stderr.replace("│", " ").split())
    assert done.exit_code == code and all(part in text for part in parts), text


def test_static_graphs_are_those_of_texts_with_windows(run, files):
    given = ("--static", f"urn:plan={files['plan.ttl']}")
    done = run("SELECT ?x { ?x a :On }", "--range", "2", *given)
    assert done.exit_code == 2 and "--background" in done.stderr


def test_iris_and_files_may_have_equals_signs(tmp_path):
    file = tmp_path / "a=b.ttl"
    file.write_text(PLAN)
    iri = "http://e/q?a=1&b=2"
    for value in (f"{iri}={file}", f"<{iri}>={file}"):
        (found,) = static_graphs([value], [iri], []).values()
        assert len(found) == 4
    with pytest.raises(QueryError, match="not given"):
        static_graphs([], [iri], [])
