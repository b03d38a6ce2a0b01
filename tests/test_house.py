"""Position of test files, each of which mirrors a module; docstrings of the fields of public classes."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path

import pytest

import pantarhei
import pantarhei.spark
import pantarhei.temporal
from public_values import public_values

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


def public_classes():
    """Public classes, the classes of results, and those of their fields."""
    modules = pantarhei, pantarhei.spark, pantarhei.temporal
    found = [getattr(module, name) for module in modules for name in module.__all__]
    values = [*public_values(4).values()]
    for value in (*values,):
        parts = [getattr(value, name) for name in names_of_fields(type(value))]
        members = [m for part in parts if isinstance(part, (tuple, frozenset)) for m in list(part)[:1]]
        values += [*parts, *members]
    found += map(type, values)
    of_us = {each for each in found if inspect.isclass(each) and each.__module__.startswith("pantarhei")}
    return sorted(of_us, key=lambda each: (each.__module__, each.__qualname__))


def names_of_fields(class_):
    if is_dataclass(class_):
        return [each.name for each in fields(class_) if not each.name.startswith("_")]
    if issubclass(class_, BaseException):
        made = class_.__init__
        return list(inspect.signature(made).parameters)[1:] if inspect.isfunction(made) else []
    return getattr(class_, "_fields", [])


@pytest.mark.parametrize("class_", public_classes(), ids=lambda class_: class_.__qualname__)
def test_each_field_and_property_of_a_public_class_has_a_text(class_):
    bases = [base for base in class_.__mro__ if base.__module__.startswith("pantarhei")]
    described = {
        name
        for base in bases
        for names in re.findall(
            r"^ {4}((?:\w+,\s+)*\w+): \S", inspect.cleandoc(base.__doc__ or ""), re.MULTILINE
        )
        for name in re.split(r",\s+", names)
    }
    assert [name for name in names_of_fields(class_) if name not in described] == []
    getters = {
        name: value.fget if isinstance(value, property) else value.func
        for base in reversed(bases)
        for name, value in vars(base).items()
        if isinstance(value, (property, cached_property)) and not name.startswith("_")
    }
    inherited = {
        name: getattr(base, name).__doc__ for base in bases for name in getters if hasattr(base, name)
    }
    assert [name for name, read in getters.items() if not (read.__doc__ or inherited.get(name))] == []


OF_MANY = re.compile(r"tuple\[|frozenset|Mapping|Sequence|dict\[|Graph|Integers|Literal\b|Counter|Proof")
CONSTRUCTOR_CALLS = {"Registration", "ReportPolicy"}  # to be evaluated again


@pytest.mark.parametrize("class_", public_classes(), ids=lambda class_: class_.__qualname__)
def test_a_public_class_of_many_values_has_a_short_representation(class_):
    write = class_.__repr__
    code = getattr(write, "__code__", None)
    is_made = code is not None and code.co_filename.endswith(("reprlib.py", "collections/__init__.py"))
    annotated = " ".join(str(each) for each in class_.__annotations__.values()) if is_made else ""
    assert (
        class_.__name__ in CONSTRUCTOR_CALLS
        or "encoding" in class_.__module__
        or not OF_MANY.search(annotated)
    )
