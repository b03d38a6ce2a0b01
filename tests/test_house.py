"""The tests stand where their modules do."""

from __future__ import annotations

from pathlib import Path

import pantarhei

UNIT = Path(__file__).parent / "unit"
SOURCE = Path(pantarhei.__file__).parent


def test_each_file_of_unit_tests_is_named_after_a_module():
    """`tests/unit/room/test_thing.py` is about `room/thing.py`, or about the package `room/thing`."""
    named = {
        path.relative_to(UNIT).with_name(path.stem.removeprefix("test_")) for path in UNIT.rglob("test_*.py")
    }
    there = {path.relative_to(SOURCE).with_suffix("") for path in SOURCE.rglob("*.py")}
    packages = {path.parent for path in there if path.name == "__init__"}
    assert sorted(map(str, named - there - packages)) == []
