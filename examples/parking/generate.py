"""Generate a morning in the garages of a city, as CSV.

Every five minutes a counter reports the number of cars in each garage. Sometimes an attendant at the gate
reports whether it is full; attendants notice the counters' errors, and are sometimes wrong.

    python examples/parking/generate.py --seed 7 --out parking.csv

Equal arguments give equal bytes.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta

START = datetime(2026, 3, 2, 7, 0)  # local time without a zone
MINUTE = timedelta(minutes=1)
SPACES = {"north": 60, "harbour": 140, "station": 220, "castle": 35}
COLUMNS = ("time", "garage", "vehicles", "spaces", "attendant")


def rows(seed: int, minutes: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of `minutes` minutes in time order."""
    chance = random.Random(seed)
    cars = {garage: spaces * 8 // 10 for garage, spaces in SPACES.items()}
    for minute in range(minutes):
        at = (START + minute * MINUTE).isoformat(" ")
        for garage, spaces in SPACES.items():
            cars[garage] = min(spaces, max(0, cars[garage] + chance.randrange(-3, 5)))
            if minute % 5 == 0:
                yield at, garage, cars[garage], spaces, ""
            elif chance.random() < 0.05:
                is_full = cars[garage] == spaces or chance.random() < 0.2
                yield at, garage, "", "", "Full" if is_full else "Available"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--minutes", type=int, default=180)
    parser.add_argument("--out", default="-")
    options = parser.parse_args()
    with sys.stdout if options.out == "-" else open(options.out, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows(options.seed, options.minutes)])


if __name__ == "__main__":
    main()
