"""The values that options of the command line choose from."""

from __future__ import annotations

from enum import StrEnum


class ClosedChoice(StrEnum):
    both = "both"
    right = "right"


class RepairChoice(StrEnum):
    exact = "exact"
    grounded = "grounded"
    algorithm3 = "algorithm3"
    off = "off"


class KeepChoice(StrEnum):
    newest = "newest"
    every = "every"


class OnLimitChoice(StrEnum):
    error = "error"
    drop = "drop"


class OnError(StrEnum):
    error = "raise"
    skip = "skip"


class ImportsChoice(StrEnum):
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
