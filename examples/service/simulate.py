"""Simulator of the building: sensors of eight rooms that publish to an MQTT broker.

    python examples/service/simulate.py --port 1883 --seed 3

Thermometers report every two seconds, doors and sensors of presence when something changes. Badge readers and
motion sensors contradict each other now and then, a thermometer falls silent for half a minute, server rooms
become warm, and about one message in a hundred is malformed, late or ahead of the clock.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

ROOMS = [f"{floor}0{room}" for floor in (1, 2) for room in (1, 2, 3, 4)]
Publish = Callable[[str, str], object]


class Room:
    """Room with a thermometer, a door, a motion sensor and a badge reader."""

    def __init__(self, name: str, chance: random.Random) -> None:
        self.name, self._chance = name, chance
        is_first = name == "104"  # becomes too warm at once, so that the first alarm does not take minutes
        self.celsius, self.drift = (26.5, 0.6) if is_first else (chance.uniform(20, 23), 0.0)
        self.is_open = self.is_occupied = False
        self.silent_for = 0

    def step(self) -> list[tuple[str, dict[str, object]]]:
        """Return topics and contents of the messages of two seconds, without their time."""
        chance = self._chance
        if chance.random() < 0.05:
            self.drift = chance.choice([-0.6, 0.0, 0.6])
        comfortable = 25.5 if self.name.endswith("4") else 22.0
        self.celsius += self.drift + 0.08 * (comfortable - self.celsius)
        found: list[tuple[str, dict[str, object]]] = []
        if self.silent_for:
            self.silent_for -= 1
        else:
            found.append(("temperature", {"celsius": round(self.celsius, 1)}))
            self.silent_for = 15 if chance.random() < 0.004 else 0
        if chance.random() < 0.06:
            self.is_open = not self.is_open
        if chance.random() < 0.06:
            self.is_occupied = not self.is_occupied
        if chance.random() < 0.3:
            found.append(("door", {"state": "Open" if self.is_open else "Closed"}))
            found.append(("motion", {"state": "Active" if self.is_occupied else "Quiet"}))
        if chance.random() < 0.1:  # a badge reader is wrong in one of five cases
            is_right = chance.random() < 0.8
            found.append(("badge", {"state": "Active" if self.is_occupied == is_right else "Quiet"}))
        return found


def message_of(content: dict[str, object], at: datetime, chance: random.Random) -> str:
    """Return a message as JSON; about one in a hundred is bad."""
    lot = chance.random()
    if lot < 0.004:
        return json.dumps({"at": at.isoformat(), **content})[: chance.randrange(1, 20)]
    if lot < 0.007:
        at -= timedelta(minutes=3)
    elif lot < 0.01:
        at += timedelta(days=365)
    return json.dumps({"at": at.isoformat(timespec="milliseconds"), **content})


def simulate(publish: Publish, seed: int, seconds: float) -> int:
    """Publish the messages of the building; return their number.

    Args:
        publish: publishes a text to a topic.
        seconds: the time after which to end.
    """
    chance = random.Random(seed)
    rooms = [Room(name, chance) for name in ROOMS]
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for room in rooms:
            for kind, content in room.step():
                publish(f"site/{room.name}/{kind}", message_of(content, datetime.now(UTC), chance))
                count += 1
            time.sleep(min(2 / len(rooms), max(end - time.monotonic(), 0)))
    return count


def main() -> None:
    """Connect to a broker, and publish until interrupted."""
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args()
    client = Client(CallbackAPIVersion.VERSION2)
    client.connect(given.host, given.port)
    client.loop_start()
    try:
        count = simulate(lambda topic, text: client.publish(topic, text, qos=1), given.seed, given.seconds)
        print(count, "messages")
    except KeyboardInterrupt:
        pass
    finally:
        client.disconnect()
        client.loop_stop()


if __name__ == "__main__":
    main()
