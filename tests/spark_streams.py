"""Streams for Spark: equal rows as tables, files and DataFrames, and a reasoner's results for them."""

import json
import os
import re
import uuid

import pyarrow as pa
from rdflib import BNode

from oracle.canonical_literals import canonical_triple
from pantarhei.rdf.ntriples import write_term

COLUMNS = ("timestamp", "subject", "predicate", "object")
TEXTS = "subject string, predicate string, object string"
SCHEMA = f"timestamp long, {TEXTS}"
NOW = {"availableNow": True}


def rows_of(stream):
    """Return a row for each triple of a stream of ABoxes, with terms as texts."""
    return [(at, *map(write_term, triple)) for at, abox in stream for triple in abox]


def table_of(rows, time=None):
    """Return rows as an Arrow table; `time` is the type of their timestamps."""
    columns = list(zip(*rows, strict=True)) if rows else [[]] * 4
    times = pa.array(columns[0], time or (pa.int64() if not rows else None))
    return pa.table([times, *(pa.array(column, pa.string()) for column in columns[1:])], names=COLUMNS)


def aboxes_of(rows):
    """Return the tables of the ABoxes by timestamp, oldest first."""
    found = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return {at: table_of(found[at]).drop_columns(["timestamp"]) for at in sorted(found)}


SCHEMES = ["file", "viewfs", "mounted", "cos"]
"""Schemes of URIs: of Java's own files, and of a mount of them; one that Hadoop does not have; one to which
files are uploaded.
"""


def uri_over(spark, scheme, path):
    """Return the URI of a folder of `scheme` whose files are in the local folder `path`."""
    if scheme == "file":
        return f"file:{path}"
    name = uuid.uuid4().hex  # Hadoop caches a file system with its configuration
    spark.conf.set(f"fs.viewfs.mounttable.{name}.link./at", f"file://{path}")
    if scheme != "viewfs":  # any scheme over a local folder
        overload = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"
        spark.conf.set(f"fs.{scheme}.impl", overload)
        spark.conf.set("fs.viewfs.overload.scheme.target.file.impl", "org.apache.hadoop.fs.LocalFileSystem")
    return f"{scheme}://{name}/at"


class Folder:
    """Folder from which a query reads one file per batch, in the order of writing."""

    def __init__(self, path):
        self.path, self.files = path, 0
        path.mkdir()

    def write(self, rows):
        lines = (json.dumps(dict(zip(COLUMNS, row, strict=True)), default=str) for row in rows)
        self.write_text("\n".join(lines), "json")

    def write_text(self, text, kind):
        self.files += 1
        file = self.path / f"{self.files:03}.{kind}"
        hidden = file.with_name(
            f".{file.name}"
        )  # Spark ignores this name, so that it never reads an incomplete file
        hidden.write_text(text)
        os.utime(
            hidden, (1e9 + 10 * self.files,) * 2
        )  # Spark reads files in the order of their modification times
        hidden.rename(file)

    def stream(self, spark, schema=SCHEMA):
        return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(self.path))


def by_value(triples):
    """Replace the literals of triples by one literal for each value."""
    return set(map(canonical_triple, triples))


class Recorder:
    """Records the results of a reasoner by timestamp; later parts of a timestamp replace earlier ones."""

    def __init__(self, query=None):
        self.query, self.repairs, self.answers = query, {}, {}

    def __call__(self, update, reasoner):
        repair = update.repair
        self.repairs[update.at] = (
            _named(repair.removed),
            {(_named(conflict.assertions), conflict.constraints) for conflict in repair.conflicts},
        )
        if self.query is not None:
            columns = reasoner.query(self.query).columns()
            self.answers[update.at] = set(zip(*columns.values(), strict=True))


def state_of(reasoner):
    """Return the state of a reasoner. Blank nodes lose the prefix of their message."""
    return {
        "timestamps": reasoner.timestamps,
        "assertions": _named(reasoner.assertions()),
        "materialization": {triple for _, triple in _named((0, t) for t in reasoner.materialization())},
        "repairs": [(repair.at, _named(repair.removed)) for repair in reasoner.repairs],
    }


def _named(assertions):
    return frozenset((at, tuple(map(_without_message, triple))) for at, triple in assertions)


def _without_message(term):
    return BNode(re.sub(r"^[mtb]\d+-", "", term)) if isinstance(term, BNode) else term
