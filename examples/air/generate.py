"""Generate air quality measurements of a city's stations on a summer day, as a wide table in CSV.

The table has a column for each gas, and a row for each station every ten minutes; sometimes a value is
missing.

    python examples/air/generate.py --seed 7 --out air.csv

Equal arguments give equal bytes.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
from collections.abc import Iterator

START = 1_783_036_800  # seconds since 1970: 3 July 2026, midnight
COLUMNS = ("time", "station", "ozone", "no2", "pm10")
STATIONS = ("harbour", "park", "ring")


def rows(seed: int, hours: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of `hours` hours in time order; values in µg/m³."""
    chance = random.Random(seed)
    for step in range(6 * hours):
        sun = max(0.0, math.sin((step / 6 - 6) * math.pi / 12))
        for number, station in enumerate(STATIONS):
            levels = (60 + 40 * number + 80 * sun, 45 - 10 * number, 25)
            noisy = (f"{max(0.0, chance.gauss(level, 12)):.1f}" for level in levels)
            cells = ("" if chance.random() < 0.04 else cell for cell in noisy)
            yield START + 600 * step, station, *cells


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--out", default="-")
    options = parser.parse_args()
    with sys.stdout if options.out == "-" else open(options.out, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows(options.seed, options.hours)])


if __name__ == "__main__":
    main()
