"""Position of test files: each mirrors a module."""

from __future__ import annotations

from pathlib import Path

import pantarhei

UNIT = Path(__file__).parent / "unit"
SOURCE = Path(pantarhei.__file__).parent
ORACLE = Path(__file__).parent / "oracle"


def test_each_file_of_unit_tests_is_named_after_a_module():
    """`tests/unit/room/test_thing.py` tests `room/thing.py` or the package `room/thing`; the oracle too."""
    named = {
        path.relative_to(UNIT).with_name(path.stem.removeprefix("test_")) for path in UNIT.rglob("test_*.py")
    }
    there = {path.relative_to(SOURCE).with_suffix("") for path in SOURCE.rglob("*.py")}
    there |= {path.relative_to(ORACLE.parent).with_suffix("") for path in ORACLE.rglob("*.py")}
    packages = {path.parent for path in there if path.name == "__init__"}
    assert sorted(map(str, named - there - packages)) == []
