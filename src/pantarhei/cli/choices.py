"""The values that options of the command line choose from."""

from __future__ import annotations

from enum import StrEnum


class Closed(StrEnum):
    both = "both"
    right = "right"


class Repair(StrEnum):
    exact = "exact"
    grounded = "grounded"
    algorithm3 = "algorithm3"
    off = "off"


class Keep(StrEnum):
    newest = "newest"
    every = "every"


class OnLimit(StrEnum):
    error = "error"
    drop = "drop"


class OnError(StrEnum):
    error = "raise"
    skip = "skip"


class Imports(StrEnum):
    error = "error"
    skip = "skip"


class StreamFormat(StrEnum):
    nquads = "nquads"
    trig = "trig"


class AnswerFormat(StrEnum):
    table = "table"
    ndjson = "ndjson"
    csv = "csv"


class ReportFormat(StrEnum):
    text = "text"
    json = "json"
