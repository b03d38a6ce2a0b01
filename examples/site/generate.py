"""Generate the readings of four probes in fridges as N-Quads, with one graph per minute.

A reading is an `xsd:double`, as written for a Python float. Doors are open at times, and a fridge warms up.

    python examples/site/generate.py --seed 7 --out readings.nq

Equal arguments give equal bytes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 7, tzinfo=UTC)
PROBES = ("probe1", "probe2", "probe3", "probe4")
SITE, DOUBLE = "http://example.org/site#", "http://www.w3.org/2001/XMLSchema#double"


def rows(seed: int, minutes: int) -> Iterator[tuple[datetime, str, float]]:
    """Yield time, probe and temperature, in time order."""
    chance = random.Random(seed)
    level, open_until = dict.fromkeys(PROBES, 5.0), dict.fromkeys(PROBES, -1)
    for minute in range(minutes):
        for probe in PROBES:
            if chance.random() < 0.02:
                open_until[probe] = minute + 8
            goal = 16.0 if minute <= open_until[probe] else 5.0
            level[probe] += (goal - level[probe]) * 0.12 + chance.gauss(0, 0.1)
            yield START + timedelta(minutes=minute), probe, level[probe]


def quad(at: datetime, probe: str, celsius: float) -> str:
    """Return a reading as a line of N-Quads."""
    return f'<{SITE}{probe}> <{SITE}celsius> "{celsius!r}"^^<{DOUBLE}> <urn:at:{at:%Y-%m-%dT%H:%M:%SZ}> .'


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--minutes", type=int, default=240)
    parser.add_argument("--out", default="-")
    options = parser.parse_args()
    with sys.stdout if options.out == "-" else open(options.out, "w", newline="") as file:
        file.writelines(f"{quad(*row)}\n" for row in rows(options.seed, options.minutes))


if __name__ == "__main__":
    main()
