"""The command line over tables: `run --mapping`, and `map`, which writes a mapping to begin with."""

import json
import re
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from typer.testing import CliRunner

from pantarhei import read_records
from pantarhei.cli.commands import app
from pantarhei.io.mapping.mapping_reader import read_mapping

ROOT = Path(__file__).parents[2]
PEDALS = ROOT / "ontologies" / "pedals.ttl"
MAPPING = """\
prefixes: {pedals: http://example.org/pedals#}
time: {column: at, unit: number}
mappings:
  driver:
    s: pedals:$(who)
    po:
      - [a, pedals:$(what)~iri]
"""
TABLE = "at,who,what\n1,x,GasPedalPressed\n2,x,BrakesPressed\n"
LINES = [
    "1  window -1 to 1: 6 facts, +3 -0",
    "2  window 0 to 2: 6 facts, +2 -2",
    "    at 2 removed: the car x is in class 'gas pedal pressed' (at 1), "
    "contradicted by the car x is in class 'brakes pressed'; "
    "nothing is in both classes 'brakes pressed' and 'gas pedal pressed'",
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "m.yaml").write_text(MAPPING)
    (tmp_path / "pedals.csv").write_text(TABLE)
    return tmp_path


def cli(*arguments, **options):
    return CliRunner().invoke(app, list(map(str, arguments)), **options)


def run(files, *arguments, stream="pedals.csv", mapping="m.yaml", **options):
    stream = stream if stream == "-" else files / stream
    given = () if mapping is None else ("--mapping", files / mapping)
    arguments = (*given, "--range", 2, *arguments)
    return cli("run", "--ontology", PEDALS, "--stream", stream, *arguments, **options)


def test_a_table_is_followed_by_a_mapping(files):
    result = run(files)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == LINES


def test_a_table_is_followed_as_it_comes_from_a_pipe(files):
    assert run(files, stream="-", input=TABLE).stdout.splitlines() == LINES


def test_a_folder_of_tables_is_followed(files):
    parquet.write_table(csv.read_csv(files / "pedals.csv"), files / "pedals.parquet")
    (files / "pedals.csv").unlink()
    assert run(files, stream=".").stdout.splitlines() == LINES


def test_a_wrong_row_ends_the_run_with_its_place(files):
    with (files / "pedals.csv").open("a") as file:
        file.write("soon,x,GasPedalPressed\n")
    result = run(files)
    assert result.exit_code == 1
    assert (
        "pedals.csv, line 4, column at: 'soon' is not a number, but the mapping has unit: number"
        in result.stderr
    )


def test_wrong_rows_are_skipped_and_counted_if_asked(files):
    with (files / "pedals.csv").open("a") as file:
        file.write("soon,x,GasPedalPressed\n1,x,GasPedalPressed\n")
    result = run(files, "--on-error", "skip")
    assert result.exit_code == 0
    assert "1 late ABox skipped" in result.stderr
    assert "1 skipped" in result.stderr
    assert (
        "  skipped line 4: column at: 'soon' is not a number, but the mapping has unit: number"
        in result.stderr
    )


def test_a_table_without_mapping_is_said_to_need_one(files):
    result = run(files, mapping=None)
    assert result.exit_code == 2
    assert "a table needs a mapping; give --mapping" in " ".join(result.stderr.replace("│", " ").split())


def pack(path, content):
    kinds = {".gz": "gzip", ".zst": "zstd"}
    compression = kinds.get(path.suffix)
    with ExitStack() as stack:
        file = stack.enter_context(pa.OSFile(str(path), "wb"))
        if compression is not None:
            file = stack.enter_context(pa.CompressedOutputStream(file, compression))
        file.write(content)


@pytest.mark.parametrize("name", ["log.jsonl", "log.ndjson.gz", "log.jsonl.gz", "log.jsonl.zst"])
def test_json_lines_of_json_ld_need_none(files, name):
    context = '{"@vocab": "http://example.org/pedals#", "at": "http://www.w3.org/ns/prov#generatedAtTime"}'
    typed = '"@id": "http://example.org/pedals#x", "@type": "{}", "at": {}'
    lines = [
        f'{{"@context": {context}, {typed.format(what, at)}}}\n'
        for at, what in ((1, "GasPedalPressed"), (2, "BrakesPressed"))
    ]
    pack(files / name, "".join(lines).encode())
    done = run(files, mapping=None, stream=name)
    assert done.exit_code == 0
    assert [line[:1] for line in done.stdout.splitlines()] == ["1", "2", " "]
    assert "known to neither" not in done.stderr  # of the time


def test_contexts_that_documents_name_are_read_from_files(files):
    iri, rows = "https://context.example.org/c.jsonld?v=1", []
    vocabulary = {"@vocab": "http://example.org/pedals#", "at": "http://www.w3.org/ns/prov#generatedAtTime"}
    (files / "c=1.jsonld").write_text(json.dumps({"@context": vocabulary}))
    for at, what in ((1, "GasPedalPressed"), (2, "BrakesPressed")):
        rows.append({"@context": iri, "@id": "http://example.org/pedals#x", "@type": what, "at": at})
    (files / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = f"--context={iri}={files / 'c=1.jsonld'}"
    done = run(files, given, mapping=None, stream="log.jsonl")
    assert done.exit_code == 0, done.stderr
    assert [line[:1] for line in done.stdout.splitlines()] == ["1", "2", " "]
    unnamed = run(files, "--context=c.jsonld", mapping=None, stream="log.jsonl")
    assert unnamed.exit_code == 2 and "c.jsonld is not of the form IRI=FILE" in " ".join(
        unnamed.stderr.replace("│", " ").split()
    )
    mapped = run(files, given)
    assert mapped.exit_code == 2 and "contexts are for JSON-LD" in " ".join(
        mapped.stderr.replace("│", " ").split()
    )


def test_packed_json_lines_that_are_a_table_need_one_and_what_cannot_be_unpacked_is_said(files):
    pack(files / "rows.jsonl.gz", b'{"at": 1}\n')
    assert "a table needs a mapping; give --mapping" in " ".join(
        run(files, mapping=None, stream="rows.jsonl.gz").stderr.replace("│", " ").split()
    )
    (files / "rows.jsonl.gz").write_bytes((files / "rows.jsonl.gz").read_bytes()[:12] + b"no gzip at all")
    done = run(files, mapping=None, stream="rows.jsonl.gz")
    assert (done.exit_code, "it cannot be unpacked" in done.stderr) == (1, True)


def test_a_mapping_with_a_mistake_ends_the_run_with_its_line(files):
    (files / "m.yaml").write_text(MAPPING.replace("$(who)", "$(driver)"))
    result = run(files)
    assert result.exit_code == 1
    assert "m.yaml, line 5: " in result.stderr
    assert "has no column driver; expected one of at, who, what" in result.stderr


def test_the_time_of_a_row_is_the_mappings_matter(files):
    result = run(files, "--time", "graph")
    assert result.exit_code == 2
    assert "it has no effect on a table; set it in the mapping" in " ".join(
        result.stderr.replace("│", " ").split()
    )


@pytest.mark.parametrize(
    ("name", "table", "expected"),
    [
        ("cars.csv", "time,garage,free\n2026-03-02T07:00:00Z,north,12\n2026-03-02T07:05:00Z,north,3\n", 2),
        ("cars.csv", "Zeit;Temp (°C)\n02.03.2026 07:00;21,5\n02.03.2026 07:05;n/a\n", 1),
        ("cars.jsonl", '{"ts": 1772434800, "sensor": {"id": "a"}, "ok": true}\n', 1),
    ],
)
def test_the_mapping_that_map_writes_reads_the_table(tmp_path, name, table, expected):
    (tmp_path / name).write_text(table)
    result = cli("map", tmp_path / name)
    assert result.exit_code == 0
    (tmp_path / "m.yaml").write_text(result.stdout)
    found = list(read_records(tmp_path / name, tmp_path / "m.yaml"))
    assert sum(len(abox.triples) for abox in found) == expected


def test_map_says_what_is_wrong_with_a_table(tmp_path):
    result = cli("map", tmp_path / "none.csv")
    assert result.exit_code == 1
    assert "none.csv cannot be read" in result.stderr


def test_the_mappings_on_the_page_about_tables_are_read():
    page = (ROOT / "docs" / "tables.md").read_text()
    found = [
        read_mapping(text) for text in re.findall(r"^```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    ]
    assert len(found) == 2
    assert all(each.groups for each in found)


LOCAL = """\
prefixes: {pedals: http://example.org/pedals#}
time: {column: at, zone: Europe/Copenhagen}
mappings: {driver: {s: pedals:x, po: [[a, pedals:$(what)]]}}
"""


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ((), ["2026-03-29T01:59:00+01:00  window 2026-03-29T01:57:00+01:00 to 2026-03-29T01:59:00+01:00: "]),
        (
            ("--slide", "PT2M"),
            ["2026-03-29T01:59:00+01:00  window 2026-03-29T01:58:00+01:00 to 2026-03-29T02:00:00+01:00: "],
        ),
        (
            ("--emit", "changes", "--query", "SELECT ?x { ?x a :GasPedalPressed }", "--format", "csv"),
            ["at,change,x", "2026-03-29T01:59:00+01:00,+,http://example.org/pedals#x"],
        ),
    ],
)
def test_all_times_are_written_in_the_zone_of_the_mapping(files, arguments, lines):
    (files / "m.yaml").write_text(LOCAL)
    (files / "local.csv").write_text("at,what\n2026-03-29 01:59,GasPedalPressed\n")
    given = ("--ontology", PEDALS, "--stream", files / "local.csv", "--mapping", files / "m.yaml")
    result = cli("run", *given, "--range", "PT2M", *arguments)
    assert result.exit_code == 0, result.output
    for line, expected in zip(result.stdout.splitlines(), lines, strict=False):
        assert line.startswith(expected)


def test_conclusions_are_written_in_the_zone_of_the_mapping(files):
    (files / "m.yaml").write_text(LOCAL)
    (files / "local.csv").write_text("at,what\n2026-03-02 10:00,GasPedalPressed\n")
    (files / "r.lars").write_text(":moves(X) :- :GasPedalPressed(X) in [1 min].\n")
    given = ("--ontology", PEDALS, "--stream", files / "local.csv", "--mapping", files / "m.yaml")
    result = cli("run", *given, "--range", "PT2M", "--slide", "PT1M", "--rules", files / "r.lars")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("2026-03-02T10:00:00+01:00  + ")
