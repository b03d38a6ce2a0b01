"""Times written as texts, converted to ticks: by column if all have one form, else one by one.

A local time that occurs twice, when clocks are put back, has two *candidates*, from which the mapping option
`ambiguous` chooses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, localcontext
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.errors import MappingError, TimestampError
from pantarhei.io.mapping.binding import time_hint
from pantarhei.io.mapping.cell_columns import Flags
from pantarhei.io.mapping.record_mapping import UNITS, RecordMapping, RowTime, Unit
from pantarhei.model.datetimes import (
    EPOCH,
    FIRST_TICK,
    IN_RANGE,
    LAST_TICK,
    MICROSECOND,
    ReadTime,
    later,
    read_iso,
    tick_of_datetime,
    without_finer,
    zone_named,
)
from pantarhei.model.time import FLOAT_TICKS, MOST_TICKS, TimeKind
from pantarhei.rdf.triple_table import Codes

Ticks = npt.NDArray[np.int64]

zone_of = lru_cache(maxsize=16)(zone_named)
_SURE_UNTIL = (datetime(2037, 1, 1, tzinfo=EPOCH.tzinfo) - EPOCH) // MICROSECOND


class Candidates(NamedTuple):
    """Earlier and later instant that each time may denote, in ticks; equal for unambiguous times."""

    earlier: Ticks
    later: Ticks


def candidates_of(values: pa.TimestampArray, time: RowTime) -> Candidates | None:
    """Return the candidates of a column of local times, 0 for nulls.

    None if Arrow cannot decide: a time does not exist, the zone is unknown to Arrow, or a year is outside
    1970 to 2036, for which Arrow knows the clock changes.
    """
    bounds = pc.min_max(values.cast(pa.int64()))
    first, last = bounds["min"].as_py(), bounds["max"].as_py()
    if time.zone is None or first is None or not (first >= 0 and last < _SURE_UNTIL):
        return None

    def instants(ambiguous: str) -> Ticks:
        found = pc.assume_timezone(values, time.zone, ambiguous=ambiguous, nonexistent="raise")
        return np.from_dlpack(found.cast(pa.int64()).fill_null(0)).astype(np.int64)

    try:
        try:
            ticks = instants("raise")
            return Candidates(ticks, ticks)
        except pa.ArrowInvalid:
            return Candidates(instants("earliest"), instants("latest"))
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None


def candidates_at(at: datetime, text: str, time: RowTime) -> tuple[datetime, datetime]:
    """Return the earlier and the later candidate of one time; they are equal if the time has a zone.

    Args:
        text: the text of the time, for errors.

    Raises:
        ValueError: neither the time nor the mapping has a zone, or the local time was skipped when clocks
            were put forward.
    """
    if at.tzinfo is not None:
        return at, at
    if time.zone is None:
        expected = "expected one, or zone: Europe/Copenhagen (or another zone) in the mapping"
        raise ValueError(f"{text!r} is a time without a zone; {expected}")
    earlier, later = (at.replace(tzinfo=zone_of(time.zone), fold=fold) for fold in (0, 1))
    first, second = earlier.utcoffset(), later.utcoffset()
    assert first is not None and second is not None
    if first < second:
        raise ValueError(f"{text!r} does not exist in {time.zone}: clocks were put forward over it")
    return earlier, later


def ambiguity_error(text: str, time: RowTime) -> str:
    """Return the error for a local time that occurred twice."""
    return (
        f"{text!r} occurred twice in {time.zone}, when clocks were put back; expected a time with its "
        "offset, or ambiguous: infer in the mapping if rows are in the order of time (earlier or later "
        "merges both hours)"
    )


UNDECIDED = (
    "the order of rows does not decide which of two times it is, since the times before had different "
    "numbers of rows; expected a time with its offset, or ambiguous: earlier or later in the mapping"
)


def check_unordered(mapping: RecordMapping, source: str) -> None:
    """Check that a mapping can be applied to rows without an order, such as those of a Spark frame.

    Raises:
        MappingError: the mapping infers times from the order of rows (`ambiguous: infer`).
    """
    if mapping.time.ambiguous == "infer":
        problem = f"ambiguous: infer, but the rows of {source} have no order"
        expected = "times with their offset, or ambiguous: earlier or later (which merges two hours)"
        raise MappingError(mapping.source, mapping.time.line, problem, expected)


@dataclass(slots=True)
class _Run:
    """Consecutive rows with the same instant: the instant in ticks, and the number of rows."""

    at: int
    rows: int


class RowOrder:
    """Last instants of the rows read so far, to resolve a local time in the hour that a clock change repeats.

    The instants of rows ascend. The three newest runs of rows with equal instants are kept. If the earlier
    candidate equals the instant of the newest run, and runs are at least the repeated hour apart, the row
    belongs to the newest run only while that has fewer rows than the runs before it.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []  # at most three, the newest last

    def note(self, instants: Ticks) -> None:
        """Add the instants of the next rows, whose local times denote one instant each, in the order of the
        rows.
        """
        for at, rows in _last_runs(instants):
            self.add(at, rows)

    def choose(self, earlier: int, later: int) -> int | None:
        """Choose the instant of the next row and add the row; return None if the order of rows is
        inconclusive.
        """
        newest = self._runs[-1].at if self._runs else None
        at: int | None = earlier
        if newest is not None and newest > earlier:
            at = later
        elif newest == earlier and later > earlier and self._is_sparse(later - earlier):
            known = {run.rows for run in self._runs[:-1]}
            if len(known) > 1:
                return None
            at = later if self._runs[-1].rows >= min(known) else earlier
        assert at is not None
        self.add(at)
        return at

    def _is_sparse(self, repeated: int) -> bool:
        """Return whether the two newest runs are at least `repeated` ticks apart."""
        return len(self._runs) > 1 and self._runs[-1].at - self._runs[-2].at >= repeated

    def add(self, at: int, rows: int = 1) -> None:
        """Add consecutive rows with the same instant."""
        if self._runs and self._runs[-1].at == at:
            self._runs[-1].rows += rows
        else:
            self._runs = [*self._runs[-2:], _Run(at, rows)]


def _last_runs(instants: Ticks) -> list[tuple[int, int]]:
    """Return instant and length of the last runs of equal instants, at most four.

    Four, since the first of them may continue the last run of earlier rows.
    """
    if not len(instants):
        return []
    begins = np.concatenate(([0], np.flatnonzero(np.diff(instants)) + 1))
    rows = np.diff(np.append(begins, len(instants)))
    return list(zip(instants[begins[-4:]].tolist(), rows[-4:].tolist(), strict=True))


class ChosenTimes(NamedTuple):
    """Chosen instants of rows.

    Args:
        ticks: the chosen instants.
        codes: for each row, the index of its instant in `ticks`, -1 for no time; None if row i has
            `ticks[i]`.
        wrong: indices in `ticks` of ambiguous times that remain undecided.
    """

    ticks: Ticks
    codes: Codes | None
    wrong: frozenset[int]


def choose_times(found: Candidates, codes: Codes | None, time: RowTime, order: RowOrder) -> ChosenTimes:
    """Choose the instants of ambiguous times by the mapping option `ambiguous`.

    Args:
        codes: for each row, the index of its time in `found`, -1 for no time; None if row i has the time i.
    """
    differing = np.flatnonzero(found.earlier != found.later)
    if time.ambiguous != "infer":
        wrong = frozenset(differing.tolist() if time.ambiguous == "error" else ())
        return ChosenTimes(found.later if time.ambiguous == "later" else found.earlier, codes, wrong)
    present = slice(None) if codes is None else codes[codes >= 0]
    if not len(differing):
        order.note(found.earlier[present])
        return ChosenTimes(found.earlier, codes, frozenset())
    return _in_order(found, codes, order)


def _in_order(found: Candidates, codes: Codes | None, order: RowOrder) -> ChosenTimes:
    places = np.arange(len(found.earlier), dtype=np.int32) if codes is None else codes
    ticks = np.zeros(len(places), np.int64)
    own = np.arange(len(places), dtype=np.int32)
    own[places < 0] = -1
    wrong = set()
    earlier, later = found.earlier.tolist(), found.later.tolist()
    for row, place in enumerate(places.tolist()):
        if place >= 0:
            at = order.choose(earlier[place], later[place])
            ticks[row] = 0 if at is None else at
            if at is None:
                wrong.add(row)
    return ChosenTimes(ticks, own, frozenset(wrong))


MICROSECONDS = 10**6  # per second
UNIT_ASKED = (
    "unit: s, ms, us or ns for a time since 1970, or unit: number where numbers are the stream's times"
)
BEYOND = "is not a time from the year 1 to 9999"
OUT_OF_RANGE = f"is out of range; expected {IN_RANGE}"
_PATTERNS = {"": "", "Y": r"(?P<Y>\d{4})", "%": "%", **{each: rf"(?P<{each}>\d{{1,2}})" for each in "mdHMS"}}
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NAIVE, _ZONED = (tuple(pa.timestamp(unit, zone) for unit in ("us", "ns")) for zone in (None, "UTC"))
_MOST_DIGITS = 30  # digits before the point; a larger number is not a time
_NEAR = 5 * 10**15  # microseconds since 1970 (the year 2128): a unit is suggested only for earlier times


class ReadTimes(NamedTuple):
    """Times of the distinct values of a column.

    Args:
        kind: the kind of the times.
        candidates: the instants that each value may denote.
        cut: for each value, whether the time was finer than microseconds; None if none was.
        reasons: the errors of invalid values, by index of the value.
    """

    kind: TimeKind
    candidates: Candidates
    cut: Flags | None
    reasons: Mapping[int, str]


def kind_of_numbers(unit: Unit | None, is_whole: bool) -> TimeKind:
    """Return the kind of times given by the mapping option `unit`; None as `unit` stands for times as
    texts.
    """
    if unit not in ("number", "float"):
        return TimeKind.DATETIME
    return TimeKind.INTEGER if is_whole and unit == "number" else TimeKind.FLOAT


def bounds_of(kind: TimeKind, per_second: int) -> tuple[int, int]:
    """Return the least and the greatest valid time as a number with `per_second` units in a second."""
    if kind is not TimeKind.DATETIME:
        return -MOST_TICKS, MOST_TICKS
    if per_second >= MICROSECONDS:
        factor = per_second // MICROSECONDS
        return max(FIRST_TICK * factor, -(2**63)), min((LAST_TICK + 1) * factor - 1, 2**63 - 1)
    factor = MICROSECONDS // per_second
    return -(-FIRST_TICK // factor), LAST_TICK // factor


def scaled(numbers: Ticks, per_second: int) -> tuple[Ticks, Flags | None]:
    """Convert numbers since 1970 to microseconds, rounded down.

    Returns the microseconds, and for each number whether it was rounded; None if the unit is not finer.
    """
    if per_second <= MICROSECONDS:
        return numbers * (MICROSECONDS // per_second), None
    ticks, rest = np.divmod(numbers, per_second // MICROSECONDS)
    return ticks, rest != 0


def beyond(text: str, unit: Unit) -> str:
    """Return the error for a number outside the range of times, with a hint if another unit is plausible."""
    if unit in ("number", "float"):
        return f"{text} as a time is not finite, or does not fit into 62 bits of ticks"
    try:
        number = abs(float(text))
    except OverflowError:
        number = inf
    fitting = (
        each
        for each, rate in UNITS.items()
        if each not in ("number", "float") and number * MICROSECONDS / rate < _NEAR
    )
    hint = f"; the unit seems to be {each}: set unit: {each}" if (each := next(fitting, None)) else ""
    return f"{text} {unit} since 1970 {BEYOND}{hint}"


def read_texts(
    time: RowTime, values: pa.StringArray, used: Iterable[int], kind: TimeKind | None = None
) -> ReadTimes:
    """Read the times in the distinct texts of a column.

    Args:
        used: the indices of the texts that occur in rows.
        kind: the required kind of times; None for the kind that fits all texts.
    """
    found = None if kind is TimeKind.FLOAT else _by_column(time, values)
    return one_by_one(time, values.to_pylist(), sorted(used), kind) if found is None else found


# by column


def _by_column(time: RowTime, values: pa.StringArray) -> ReadTimes | None:
    """Read texts by column with Arrow; None if a text has another form than expected."""
    try:
        if time.unit is not None:
            return _whole_numbers(time.unit, values)
        parsed = _iso(values) if time.format is None else _formatted(values, time.format)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if parsed is None:
        return None
    whole = parsed.cast(pa.int64())
    numbers = np.from_dlpack(whole).astype(np.int64, copy=False)
    ticks, cut = scaled(numbers, UNITS[parsed.type.unit])
    found: Candidates | None = Candidates(ticks, ticks)
    if parsed.type.tz is None:
        found = candidates_of(pa.array(ticks).cast(pa.timestamp("us")), time)
    if found is None or (len(ticks) and not _is_in_range(found)):
        return None
    return ReadTimes(TimeKind.DATETIME, found, cut, {})


def _is_in_range(found: Candidates) -> bool:
    return bool(found.earlier.min() >= FIRST_TICK and found.later.max() <= LAST_TICK)


def _whole_numbers(unit: Unit, values: pa.StringArray) -> ReadTimes | None:
    if any(pc.any(pc.match_substring(values, mark)).as_py() for mark in "xX"):
        return None  # Arrow would read hexadecimal numbers, which are invalid here
    numbers = np.from_dlpack(values.cast(pa.int64())).astype(np.int64, copy=False)
    kind = kind_of_numbers(unit, True)
    if kind is TimeKind.FLOAT:
        return None
    least, most = bounds_of(kind, UNITS[unit])
    if len(numbers) and not (least <= numbers.min() and numbers.max() <= most):
        return None
    ticks, cut = (numbers, None) if unit == "number" else scaled(numbers, UNITS[unit])
    return ReadTimes(kind, Candidates(ticks, ticks), cut, {})


def _iso(values: pa.StringArray) -> pa.TimestampArray | None:
    """Parse ISO 8601 texts as timestamps; None unless all have a zone or none has."""
    for microseconds, nanoseconds in (_NAIVE, _ZONED):
        for kind in (microseconds, nanoseconds):
            try:
                return values.cast(kind)
            except pa.ArrowInvalid:
                pass
    return None


def _formatted(values: pa.StringArray, form: str) -> pa.TimestampArray | None:
    """Parse texts by a strptime format; None if Arrow may read a text differently from Python."""
    pieces = re.split(r"%(.)", form)
    directives = [*pieces[1::2], ""]
    named = [each for each in directives if each not in ("%", "")]
    if not {*named} <= _PATTERNS.keys() or len({*named}) < len(named):
        return None
    texts = map(re.escape, pieces[::2])
    pattern = "".join(text + _PATTERNS[each] for text, each in zip(texts, directives, strict=True))
    parts = pc.extract_regex(values, f"^{pattern}$")
    if parts.null_count:
        return None
    parsed = pc.strptime(values, format=form, unit="us")
    names = {field.name for field in parts.type}
    # C's strptime, which Arrow uses, turns February 30 into March, and a second 60 into the next minute.
    for name, of in (("d", pc.day), ("S", pc.second)):
        if name in names:
            written = pc.struct_field(parts, name).cast(pa.int64())
            if not pc.all(pc.equal(of(parsed), written)).as_py():
                return None
    return parsed


# one by one


def one_by_one(time: RowTime, texts: list[str], used: list[int], kind: TimeKind | None = None) -> ReadTimes:
    """Read the texts with the indices `used` one by one; the other times are 0."""
    height = max(1, len(texts))
    earlier, later, cut = np.zeros(height, np.int64), np.zeros(height, np.int64), np.zeros(height, bool)
    reasons: dict[int, str] = {}
    kind = kind or kind_of_numbers(time.unit, not any(_is_fraction(texts[place]) for place in used))
    for place in used:
        try:
            if time.unit is None:
                earlier[place], later[place], cut[place] = _instants(time, texts[place])
            else:
                earlier[place], cut[place] = _number(time.unit, texts[place], kind)
                later[place] = earlier[place]
        except ValueError as error:
            reasons[place] = str(error)
    return ReadTimes(kind, Candidates(earlier, later), cut if cut.any() else None, reasons)


def is_whole(text: str) -> bool:
    """Return whether a text is a whole number in decimal digits."""
    return re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) is not None


def _is_fraction(text: str) -> bool:
    """Return whether a text is a number with a fraction or an exponent."""
    return not is_whole(text) and _NUMBER.fullmatch(text.strip()) is not None


def _number(unit: Unit, text: str, kind: TimeKind) -> tuple[int, bool]:
    """Return the tick of a number written as a text, and whether it was cut to microseconds.

    Raises:
        ValueError: the text is not a valid time; the message states the expected form.
    """
    if not _NUMBER.fullmatch(text.strip()):
        raise ValueError(f"{text!r} is not a number, but the mapping has unit: {unit}")
    scale = Decimal(FLOAT_TICKS if kind is TimeKind.FLOAT else 1)
    if kind is TimeKind.DATETIME:
        scale = Decimal(MICROSECONDS) / UNITS[unit]
    with localcontext(prec=len(text) + 20):  # exact
        try:
            number = Decimal(text.strip())
            exact = number * scale if number.adjusted() < _MOST_DIGITS else Decimal("inf")
            ticks = int(exact.to_integral_value("ROUND_FLOOR"))
        except ArithmeticError:  # beyond the range of Decimal
            raise ValueError(beyond(text.strip(), unit)) from None
    least, most = bounds_of(kind, MICROSECONDS)
    if not least <= ticks <= most:
        raise ValueError(beyond(text.strip(), unit))
    if kind is TimeKind.INTEGER and ticks != exact:
        raise ValueError(f"{text!r} is not a whole number, unlike the other times; {_FLOAT_ASKED}")
    return ticks, kind is TimeKind.DATETIME and exact != ticks


_FLOAT_ASKED = "for fractions write unit: float in the mapping, or cast the column of a DataFrame to double"


def is_time(text: str, kind: TimeKind) -> bool:
    """Return whether a text is a number that is a valid time of kind `kind`."""
    try:
        _number("number", text, kind)
    except ValueError:
        return False
    return True


def _instants(time: RowTime, text: str) -> tuple[int, int, bool]:
    """Return the ticks of both candidates of a time written as a text, and whether it was cut to
    microseconds.

    Raises:
        ValueError: the text is not a valid time; the message states the expected form.
    """
    read = _parsed(time, text)
    earlier, later = candidates_at(read.at, text, time)
    try:
        return tick_of_datetime(earlier), tick_of_datetime(later), read.is_cut
    except TimestampError:
        raise ValueError(f"{text!r} {OUT_OF_RANGE}") from None


def _parsed(time: RowTime, given: str) -> ReadTime:
    text = given.strip()
    try:
        return read_iso(text) if time.format is None else _with_format(text, time.format)
    except OverflowError:
        raise ValueError(f"{text!r} {OUT_OF_RANGE}") from None
    except ValueError:
        if time.format is not None:
            example = datetime(2026, 1, 31, 10, tzinfo=UTC).strftime(time.format)
            problem = f"does not have the format {time.format!r}, such as {example}"
            raise ValueError(f"{text!r} {problem}") from None
        is_number = re.fullmatch(r"[\d.]+", text) is not None
        number = f"for a number, set {UNIT_ASKED} in the mapping"
        hint = number if is_number else time_hint(text, time.template.columns)
        raise ValueError(f"{text!r} is not a time; {hint}") from None


def _with_format(text: str, form: str) -> ReadTime:
    """Parse a text by `strptime`, but accept more than six decimals of a second, and the time 24:00.

    Raises:
        ValueError: the text does not have the format.
        OverflowError: the time is 24:00 of the last day of the year 9999.
    """
    written, is_cut = without_finer(text) if "%f" in form else (text, False)
    try:
        return ReadTime(datetime.strptime(written, form), is_cut)
    except ValueError:
        if is_cut or "%H" not in form:
            raise
    for found in re.finditer(r"(?<!\d)24(?!\d)|(?<=\d)24(?=0)", written):
        if (before := _last_hour(written, found.start(), form)) is not None:
            return ReadTime(later(before, timedelta(hours=1)), False)
    raise ValueError(text)


def _last_hour(text: str, place: int, form: str) -> datetime | None:
    """Parse a text after replacing the hour 24 at `place` by 23; None unless the result is 23:00 exactly."""
    try:
        at = datetime.strptime(f"{text[:place]}23{text[place + 2 :]}", form)
    except ValueError:
        return None
    return at if (at.hour, at.minute, at.second, at.microsecond) == (23, 0, 0, 0) else None
