"""Generate the temperatures of a machine until it fails, as CSV.

Three parts are measured once a minute. The numbers are unrounded floats; sometimes a value is missing.

    python examples/machine/generate.py --seed 7 --out machine.csv

Equal arguments give equal bytes.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections.abc import Iterator

START = 1_772_434_800_000  # milliseconds since 1970
PARTS = ("motor_c", "bearing_c", "gear_c")


def rows(seed: int, minutes: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of `minutes` minutes in time order."""
    chance = random.Random(seed)
    level = dict.fromkeys(PARTS, 70.0)
    for minute in range(minutes):
        for part in PARTS:
            heating = 0.4 if part == "bearing_c" and minute > minutes // 2 else 0.0
            level[part] += chance.gauss(heating, 1.0) + (70 - level[part]) * 0.01
        cells = ("" if chance.random() < 0.05 else repr(level[part]) for part in PARTS)
        yield START + 60_000 * minute, "press1", *cells


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--minutes", type=int, default=240)
    parser.add_argument("--out", default="-")
    options = parser.parse_args()
    with sys.stdout if options.out == "-" else open(options.out, "w", newline="") as file:
        table = [("time", "machine", *PARTS), *rows(options.seed, options.minutes)]
        csv.writer(file, lineterminator="\n").writerows(table)


if __name__ == "__main__":
    main()
