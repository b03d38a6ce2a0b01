"""Build of the kernel: modules are compiled from their present sources, and a wheel has what is needed."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pantarhei.materialize.kernel.rows import COMPILED

ROOT = Path(__file__).parents[1]
KERNEL = ROOT / "src/pantarhei/materialize/kernel"
PLAIN = {"__init__", "constants"}  # without C types: constants have a .pxd of their own


def listed_modules() -> list[str]:
    """Return `MODULES` of setup.py."""
    for node in ast.parse((ROOT / "setup.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODULES":
            return ast.literal_eval(node.value)
    raise AssertionError("setup.py has no MODULES")


def test_every_module_of_the_kernel_is_compiled_by_setup():
    sources = {path.stem for path in KERNEL.glob("*.py")} - PLAIN
    assert sources
    assert sorted(listed_modules()) == sorted(sources)


def test_make_rebuilds_when_a_kernel_source_changes():
    patterns = re.search(r"^KERNEL := \$\(wildcard (.+)\)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert patterns
    watched = {path for pattern in patterns[1].split() for path in ROOT.glob(pattern)}
    assert watched == {*KERNEL.glob("*.py"), *KERNEL.glob("*.pxd")}


@pytest.mark.skipif(not COMPILED, reason="the kernel is installed uncompiled here")
@pytest.mark.parametrize("name", listed_modules())
def test_a_kernel_module_is_compiled_from_its_present_source(name):
    compiled = Path(importlib.import_module(f"pantarhei.materialize.kernel.{name}").__file__)
    assert compiled.suffix in {".so", ".pyd"}
    sources = [path for suffix in (".py", ".pxd") if (path := KERNEL / f"{name}{suffix}").exists()]
    assert compiled.stat().st_mtime >= max(path.stat().st_mtime for path in sources)


@pytest.mark.long
def test_a_wheel_holds_the_entry_points_and_the_declarations_of_the_kernel(tmp_path):
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(
        ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
    )
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            "dist",
            ".",
        ],
        cwd=tmp_path,
        env={**os.environ, "PANTARHEI_UNCOMPILED": "1"},
        check=True,
    )
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        entry_points = archive.read(
            next(name for name in names if name.endswith("entry_points.txt"))
        ).decode()
    kernel = "pantarhei/materialize/kernel/"
    assert {kernel + path.name for path in KERNEL.iterdir() if path.suffix in {".py", ".pxd"}} <= names
    assert {"pantarhei/py.typed", "pantarhei/spark/log4j2.properties"} <= names
    assert "pantarhei = pantarhei.cli" in entry_points
    for name, module, attribute in re.findall(r"^([\w-]+) = ([\w.]+):(\w+)$", entry_points, re.MULTILINE):
        assert callable(getattr(importlib.import_module(module), attribute)), name
