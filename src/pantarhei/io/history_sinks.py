"""Where the history goes that a reasoner keeps no longer: NDJSON, or Parquet.

A sink is called with records, oldest first. Where it raises an error they are offered again with the next
ones. What was written after a process's last checkpoint is written again by the one that goes on from there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pantarhei.errors import check_type
from pantarhei.explain.records import HistoryRecord
from pantarhei.model.time import TimePoint


class NDJSONSink:
    """Appends a line of JSON for each record to a file.

    A line has the fields of `HistoryRecord`, times as numbers or texts of ISO 8601. `conflicts` is a list of
    objects with `constraints` and `against`; it is empty but for what was cut.

    Args:
        path: the file; it is made where there is none.
    """

    batch = 1

    def __init__(self, path: str | os.PathLike[str]) -> None:
        check_type("path", path, (str, os.PathLike), "the path of a file")
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"NDJSONSink({str(self.path)!r})"

    def __call__(self, records: Sequence[HistoryRecord]) -> None:
        text = "".join(json.dumps(_object(record), ensure_ascii=False) + "\n" for record in records)
        with self.path.open("ab") as file:
            before = file.tell()
            try:
                file.write(text.encode())
                file.flush()
            except BaseException:  # no half of what will be written again
                os.truncate(self.path, before)
                raise


class ParquetSink:
    """Writes records as Parquet files into a folder: `history-000001.parquet` and so on.

    Columns as in `NDJSONSink`, with `timestamp` and `at` as integers, floats or timestamps in UTC.

    Args:
        folder: it is made where there is none.
        batch: how many assertions there are to be for a file.
    """

    def __init__(self, folder: str | os.PathLike[str], batch: int = 20_000) -> None:
        check_type("folder", folder, (str, os.PathLike), "the path of a folder")
        check_type("batch", batch, int, "a whole number")
        self.folder, self.batch = Path(folder), batch

    def __repr__(self) -> str:
        return f"ParquetSink({str(self.folder)!r}, batch={self.batch})"

    def __call__(self, records: Sequence[HistoryRecord]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.folder.mkdir(parents=True, exist_ok=True)
        numbers = [int(path.stem[8:]) for path in self.folder.glob("history-??????*.parquet")]
        path = self.folder / f"history-{max(numbers, default=0) + 1:06}.parquet"
        at = pa.timestamp("us", "UTC") if isinstance(records[0].at, datetime) else (
            pa.float64() if isinstance(records[0].at, float) else pa.int64()
        )  # fmt: skip
        text, texts = pa.string(), pa.list_(pa.string())
        triple = [("subject", text), ("predicate", text), ("object", text)]
        against = pa.list_(pa.struct([("timestamp", at), *triple]))
        conflicts = pa.list_(pa.struct([("constraints", texts), ("against", against)]))
        schema = pa.schema([("timestamp", at), *triple, ("fate", text), ("at", at), ("conflicts", conflicts)])
        table = pa.Table.from_pylist([_nested(record) for record in records], schema)
        temporary = path.with_suffix(".tmp")
        parquet.write_table(table, temporary)
        os.replace(temporary, path)


def _nested(record: HistoryRecord) -> dict[str, object]:
    conflicts = [
        {"constraints": list(each.constraints), "against": [one._asdict() for one in each.against]}
        for each in record.conflicts
    ]
    return {**record._asdict(), "conflicts": conflicts}


def _object(record: HistoryRecord) -> dict[str, object]:
    """A record as JSON can say it."""
    conflicts = [
        {
            "constraints": list(each.constraints),
            "against": [{**one._asdict(), "timestamp": _time(one.timestamp)} for one in each.against],
        }
        for each in record.conflicts
    ]
    times = {"timestamp": _time(record.timestamp), "at": _time(record.at)}
    return {**record._asdict(), **times, "conflicts": conflicts}


def _time(at: TimePoint) -> int | float | str:
    return at.isoformat() if isinstance(at, datetime) else at
