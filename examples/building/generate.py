"""Simulate an office building and write the reports of its devices.

People arrive, move between rooms and leave. Motion sensors, people counters, radiator valves, window
contacts, badges and beacons report every few minutes, sometimes wrongly. The output is a stream of N-Quads
with one graph per minute,
whose name contains the time, and optionally the background in Turtle: places, devices, people and assets.

    python examples/building/generate.py --seed 7 --readings 20000 --out readings.nq

Equal arguments give equal bytes. The background depends only on the numbers of sensors and rooms.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 7, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ROOMS_PER_FLOOR = 25
PERIODS = (1, 2, 2, 5, 5, 5, 5, 10, 10, 10)  # minutes between two reports of a device

SITE = "http://example.org/building/"
VOCABULARY = "http://example.org/building#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"

PREFIXES = f"@prefix : <{VOCABULARY}> .\n@prefix site: <{SITE}> .".splitlines()

# Per kind of device: its class, and the classes it reports if the observed state holds, and if it does not.
DEVICES = {
    "motion": ("MotionSensor", "ActiveMotionSensor", "QuietMotionSensor"),
    "counter": ("PeopleCounter", "CounterAboveZero", "CounterAtZero"),
    "valve": ("RadiatorValve", "OpenValve", "ClosedValve"),
    "window": ("WindowContact", "OpenWindow", "ClosedWindow"),
}
KINDS = ("motion", "counter", "valve", "window", "motion")

# fmt: off
GIVEN_NAMES = (
    "Ada", "Alan", "Amara", "Anders", "Aylin", "Boris", "Carmen", "Chen", "Dalia", "Emil",
    "Fatou", "Grace", "Hanna", "Ivo", "Jamal", "Kaito", "Leila", "Mara", "Nadia", "Noor",
    "Olga", "Pavel", "Quinn", "Rosa", "Sanjay", "Tove", "Ulla", "Vera", "Wanda", "Yusuf",
)
# fmt: on
ASSETS = ("projector", "cart", "ladder", "whiteboard")


@dataclass(frozen=True, slots=True)
class Device:
    """Device with the index of its room."""

    name: str
    kind: str
    room: int


@dataclass(frozen=True, slots=True)
class Site:
    """Names of the constant parts of the building. `rooms[i]` is on `floors[i // ROOMS_PER_FLOOR]`."""

    floors: list[str]
    rooms: list[str]
    devices: list[Device]
    people: list[str]
    assets: list[str]

    @staticmethod
    def of(sensors: int, rooms: int) -> Site:
        """Return a site of a given size: devices are distributed to the rooms in turn, with five people per
        four rooms.
        """
        floors = [f"floor-{number}" for number in range(1, (rooms - 1) // ROOMS_PER_FLOOR + 2)]
        names = [f"{index // ROOMS_PER_FLOOR + 1}-{index % ROOMS_PER_FLOOR + 1:02}" for index in range(rooms)]
        devices = []
        for number in range(sensors):
            turn, room = divmod(number, rooms)
            kind = KINDS[turn % len(KINDS)]
            devices.append(Device(f"{kind}-{names[room]}-{turn + 1}", kind, room))
        people = [_person(number) for number in range(max(rooms * 5 // 4, 1))]
        assets = [f"{ASSETS[number % 4]}-{number // 4 + 1}" for number in range(max(rooms // 4, 1))]
        return Site(floors, [f"room-{name}" for name in names], devices, people, assets)

    def floor_of(self, room: int) -> str:
        """Return the floor of a room."""
        return self.floors[room // ROOMS_PER_FLOOR]


def _person(number: int) -> str:
    round_, given = divmod(number, len(GIVEN_NAMES))
    rest, letter = divmod(round_, 26)
    return f"{GIVEN_NAMES[given]}-{chr(ord('A') + letter)}{rest or ''}"


# ---- background ----------------------------------------------------------------------------------------


def background(site: Site) -> list[str]:
    """Return the site in Turtle, line by line."""
    lines = ["# Places, devices, people and assets of the building; written by generate.py.", ""]
    lines += [*PREFIXES, "", "site:tower a :Building ."]
    lines += [f"site:{floor} a :Floor ; :partOf site:tower ." for floor in site.floors]
    lines.append("")
    lines += [_room(site, index) for index in range(len(site.rooms))]
    lines.append("")
    lines += [_device(site, device) for device in site.devices]
    lines.append("")
    lines += [f"site:{name} a :{_role(number)} ." for number, name in enumerate(site.people)]
    lines += [f"site:{name} a :Asset ." for name in site.assets]
    return lines


def _room(site: Site, index: int) -> str:
    kind = {4: "MeetingRoom", 9: "Laboratory"}.get(index % 10, "Office")
    line = f"site:{site.rooms[index]} a :{kind} ; :partOf site:{site.floor_of(index)}"
    if kind == "Laboratory":
        line += " ; :securityZone :restricted"
    if (index + 1) % ROOMS_PER_FLOOR and index + 1 < len(site.rooms):
        line += f" ; :nextTo site:{site.rooms[index + 1]}"
    return f"{line} ."


def _device(site: Site, device: Device) -> str:
    return f"site:{device.name} a :{DEVICES[device.kind][0]} ; :installedIn site:{site.rooms[device.room]} ."


def _role(number: int) -> str:
    return "Visitor" if number % 12 == 11 else "Employee"


# ---- stream --------------------------------------------------------------------------------------------


class Day:
    """State of the building, minute by minute: people's locations, and the readings of the devices."""

    def __init__(self, site: Site, rng: random.Random) -> None:
        self.site, self.rng = site, rng
        rooms = range(len(site.rooms))
        # The minimum of three draws: most people work on the lower floors, few on the top one.
        self.desk = [min(rng.choice(rooms) for _ in range(3)) for _ in site.people]
        self.room_of: list[int | None] = [room if rng.random() < 0.1 else None for room in self.desk]
        self.asset_room = [rng.choice(rooms) for _ in site.assets]
        self.heated = [rng.random() < 0.7 for _ in rooms]
        self.aired = [rng.random() < 0.1 for _ in rooms]
        self.schedule = [(rng.choice(PERIODS), rng.randrange(10)) for _ in site.devices]

    def minute(self, number: int) -> list[tuple[str, str, str]]:
        """Advance by a minute; return the distinct readings at its end, as local names."""
        readings = dict.fromkeys(self._sightings())
        self._turn_knobs()
        readings.update(dict.fromkeys(self._reports(number)))
        return list(readings)

    def _sightings(self) -> Iterator[tuple[str, str, str]]:
        """Yield sightings: badges at doors, phones and beacons near a receiver."""
        rng, rooms = self.rng, range(len(self.site.rooms))
        for person, here in enumerate(self.room_of):
            moves = rng.random() < 0.04
            if moves:
                self.room_of[person] = here = self._next_room(person, here)
            if here is not None and rng.random() < (0.9 if moves else 0.2):
                yield from self._sighting(self.site.people[person], here)
        for asset, here in enumerate(self.asset_room):
            if rng.random() < 0.01:
                self.asset_room[asset] = here = rng.choice(rooms)
            if rng.random() < 0.4:
                yield from self._sighting(self.site.assets[asset], here)

    def _next_room(self, person: int, here: int | None) -> int | None:
        """Return the person's own desk, another room on its floor, or None outside the building."""
        chance, desk = self.rng.random(), self.desk[person]
        if here is None or chance < 0.4:
            return desk
        if chance < 0.5:
            return None
        first = desk - desk % ROOMS_PER_FLOOR
        return self.rng.randrange(first, min(first + ROOMS_PER_FLOOR, len(self.site.rooms)))

    def _sighting(self, name: str, room: int) -> Iterator[tuple[str, str, str]]:
        """Yield one room, usually; sometimes also the next room, or only the floor, from a gateway."""
        chance = self.rng.random()
        if chance < 0.005:
            yield name, "locatedIn", self.site.floor_of(room)
            return
        yield name, "locatedIn", self.site.rooms[room]
        if chance < 0.02:
            yield name, "locatedIn", self.site.rooms[(room + 1) % len(self.site.rooms)]

    def _turn_knobs(self) -> None:
        for room in range(len(self.site.rooms)):
            if self.rng.random() < 0.01:
                self.heated[room] = not self.heated[room]
            if self.rng.random() < 0.01:
                self.aired[room] = not self.aired[room]

    def _reports(self, number: int) -> Iterator[tuple[str, str, str]]:
        occupied = {room for room in self.room_of if room is not None}
        for device, (period, phase) in zip(self.site.devices, self.schedule, strict=True):
            if (number + phase) % period == 0:
                _, yes, no = DEVICES[device.kind]
                yield device.name, "a", yes if self._seen(device, device.room in occupied) else no

    def _seen(self, device: Device, occupied: bool) -> bool:
        """Return the observed state: motion sensors miss people who sit still, and counters sometimes
        miscount.
        """
        if device.kind == "valve":
            return self.heated[device.room]
        if device.kind == "window":
            return self.aired[device.room]
        if device.kind == "motion":
            return self.rng.random() < (0.85 if occupied else 0.005)
        return occupied != (self.rng.random() < 0.01)


def _nquads(reading: tuple[str, str, str], graph: str) -> str:
    subject, predicate, object_ = reading
    if predicate == "a":
        return f"<{SITE}{subject}> {TYPE} <{VOCABULARY}{object_}> {graph} ."
    return f"<{SITE}{subject}> <{VOCABULARY}{predicate}> <{SITE}{object_}> {graph} ."


def _stream(site: Site, seed: int, readings: int) -> Iterator[tuple[datetime, list[str]]]:
    day, number = Day(site, random.Random(seed)), 0
    while readings > 0:
        at = START + number * MINUTE
        graph = f"<{SITE}at/{at:%Y-%m-%dT%H:%M:%SZ}>"
        lines = [_nquads(reading, graph) for reading in day.minute(number)[:readings]]
        if lines:
            yield at, lines
        readings, number = readings - len(lines), number + 1


def generate(
    seed: int = 7, readings: int = 20_000, sensors: int = 1_000, rooms: int = 200
) -> tuple[list[str], Iterator[tuple[datetime, list[str]]]]:
    """Return the background in Turtle lines, and the stream: the time of each minute with its readings as
    N-Quads lines.

    Args:
        seed: seed of the simulation; the background does not depend on it.
        readings: the total number of readings; the last minute is truncated.
        sensors: number of devices, distributed to the rooms in turn.
        rooms: number of rooms, 25 per floor.
    """
    if min(readings, sensors) < 0 or rooms < 1:
        raise ValueError(
            f"{readings} readings of {sensors} sensors in {rooms} rooms: expected a room or more"
        )
    site = Site.of(sensors, rooms)
    return background(site), _stream(site, seed, readings)


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
    parser.add_argument("--seed", type=int, default=7, help="of the simulation (default: 7)")
    parser.add_argument("--readings", type=int, default=20_000, help="how many in all (default: 20000)")
    parser.add_argument("--sensors", type=int, default=1_000, help="number of devices (default: 1000)")
    parser.add_argument("--rooms", type=int, default=200, help="number of rooms, 25 a floor (default: 200)")
    parser.add_argument("--out", help="N-Quads file for the readings; standard output if left out")
    parser.add_argument("--background", help="Turtle file for the background; not written if left out")
    options = parser.parse_args()
    background_lines, stream = generate(options.seed, options.readings, options.sensors, options.rooms)
    if options.background is not None:
        _write(options.background, background_lines)
    _write(options.out, (line for _, lines in stream for line in lines))


if __name__ == "__main__":
    main()
