"""Generate observations of a building's sensors: temperature, humidity, carbon dioxide and power.

Each sensor makes an observation per minute, except in one minute of twenty. Results have the lexical forms of
different sensors: decimals with and without a trailing zero, doubles with and without an exponent, integers
with and without a sign. The output is a stream of N-Quads with one graph per minute, whose name contains the
time, and
optionally the background in Turtle: floors, rooms and sensors.

    python examples/sensors/generate.py --seed 7 --sensors 800 --minutes 12 --out observations.nq

Equal arguments give equal bytes. The background depends only on the number of sensors.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 7, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ROOMS_PER_FLOOR = 5
MISSED = 20  # each sensor misses one minute of twenty
KINDS = ("Thermometer", "Hygrometer", "CarbonDioxideSensor", "PowerMeter")  # one of each in a room

SITE = "http://example.org/sensors/"
VOCABULARY = "http://example.org/sensors#"
XSD = "http://www.w3.org/2001/XMLSchema#"

PREFIXES = f"@prefix : <{VOCABULARY}> .\n@prefix site: <{SITE}> .\n@prefix xsd: <{XSD}> .".splitlines()


# ---- background ----------------------------------------------------------------------------------------


def background(sensors: int) -> list[str]:
    """Return the building in Turtle, line by line; sensors are distributed to the rooms, four per room."""
    rooms = (sensors - 1) // len(KINDS) + 1
    floors = (rooms - 1) // ROOMS_PER_FLOOR + 1
    lines = ["# Floors, rooms and sensors of the building; written by generate.py.", ""]
    lines += [*PREFIXES, "", "site:building a :Building ."]
    lines += [f"site:floor-{floor} a :Floor ; :partOf site:building ." for floor in range(floors)]
    lines += [_room(room, rooms) for room in range(rooms)]
    lines += [_sensor(sensor) for sensor in range(sensors)]
    return lines


def _room(room: int, rooms: int) -> str:
    floor, place = divmod(room, ROOMS_PER_FLOOR)
    line = f'site:room-{room} a :Room ; :partOf site:floor-{floor} ; :name "Room {floor}.{place}"'
    if place + 1 < ROOMS_PER_FLOOR and room + 1 < rooms:
        line += f" ; :nextTo site:room-{room + 1}"
    return f"{line} ."


def _sensor(sensor: int) -> str:
    room, kind = divmod(sensor, len(KINDS))
    line = f"site:sensor-{sensor} a :{KINDS[kind]} ; :locatedIn site:room-{room}"
    line += f' ; :name "{KINDS[kind]} {sensor}"'
    if sensor % 10 == 0:
        line += f' ; :calibratedOn "2026-02-{1 + sensor % 28:02}"^^xsd:date'
    return f"{line} ."


# ---- stream --------------------------------------------------------------------------------------------


def _result(sensor: int, rng: random.Random) -> str:
    """Return a number of the sensor's kind, in one of its lexical forms."""
    match KINDS[sensor % len(KINDS)]:
        case "Thermometer":
            tenths = rng.randint(160, 300)
            forms = [f"{tenths / 10}", f"{tenths / 10}0"]
            if tenths % 10 == 0:
                return _literal(f"{tenths // 10}", "integer")
            return _literal(rng.choice(forms), "decimal")
        case "Hygrometer":
            percent = rng.randint(200, 899) / 10
            return _literal(rng.choice((f"{percent}", f"{percent}E0", f"{percent / 10:.2f}e1")), "double")
        case "CarbonDioxideSensor":
            return _literal(rng.choice(("", "+")) + f"{rng.randint(400, 1400)}", "integer")
        case _:
            return _literal(f"{rng.randint(0, 2_999_999) / 1000:.3f}", "decimal")


def _literal(text: str, datatype: str) -> str:
    return f'"{text}"^^<{XSD}{datatype}>'


def observations(seed: int, sensors: int, minute: int) -> tuple[datetime, list[str]]:
    """Return the time of a minute, and its observations as N-Quads lines."""
    rng = random.Random(f"{seed} {minute}")
    at = START + minute * MINUTE
    time = f"{at:%Y-%m-%dT%H:%M:%SZ}"
    graph = f"<{SITE}at/{time}>"
    lines = []
    for sensor in range(sensors):
        if (sensor + minute) % MISSED == MISSED - 1:
            continue
        name = f"<{SITE}observation-{minute}-{sensor}>"
        lines.append(f"{name} <{VOCABULARY}madeBy> <{SITE}sensor-{sensor}> {graph} .")
        lines.append(f"{name} <{VOCABULARY}hasResult> {_result(sensor, rng)} {graph} .")
        lines.append(f"{name} <{VOCABULARY}resultTime> {_literal(time, 'dateTime')} {graph} .")
    return at, lines


def generate(
    seed: int = 7, sensors: int = 800, minutes: int = 12
) -> tuple[list[str], Iterator[tuple[datetime, list[str]]]]:
    """Return the background in Turtle lines, and the stream: the time of each minute with its N-Quads lines.

    Args:
        seed: seed of the results; the background does not depend on it.
        sensors: the number of sensors, four per room and twenty per floor.
        minutes: the number of minutes.
    """
    if sensors < 1 or minutes < 0:
        raise ValueError(f"{minutes} minutes of {sensors} sensors: expected a sensor or more")
    return background(sensors), (observations(seed, sensors, minute) for minute in range(minutes))


# ---- command line --------------------------------------------------------------------------------------


def _write(path: str | None, lines: Iterable[str]) -> None:
    if path is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def main() -> None:
    """Write the stream, and the background if requested."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=7, help="of the results (default: 7)")
    parser.add_argument("--sensors", type=int, default=800, help="how many, four a room (default: 800)")
    parser.add_argument("--minutes", type=int, default=12, help="how many in all (default: 12)")
    parser.add_argument("--out", help="N-Quads file for the observations; standard output if left out")
    parser.add_argument("--background", help="Turtle file for the background; not written if left out")
    options = parser.parse_args()
    background_lines, stream = generate(options.seed, options.sensors, options.minutes)
    if options.background is not None:
        _write(options.background, background_lines)
    _write(options.out, (line for _, lines in stream for line in lines))


if __name__ == "__main__":
    main()
