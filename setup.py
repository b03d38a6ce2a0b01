"""Builds the compiled form of the kernel.

Everything else about the package is in pyproject.toml. Where there is no C compiler the build goes on without
the extension, and the same modules run uncompiled.

Environment:
    PANTARHEI_CHECKED=1      compile with bounds and overflow checks (for the random tests)
    PANTARHEI_UNCOMPILED=1   leave the kernel uncompiled
"""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

CHECKED = os.environ.get("PANTARHEI_CHECKED") == "1"
IS_COMPILED = os.environ.get("PANTARHEI_UNCOMPILED") != "1"
KERNEL = "pantarhei.materialize.kernel"
MODULES = (
    "arrays",
    "cells",
    "rows",
    "store",
    "matcher",
    "triggers",
    "lineage",
    "horn",
    "decision",
    "residue",
    "bags",
    "groups",
    "body_matches",
    "window_kernel",
    "levels",
    "edges",
    "fixpoint",
    "retraction",
    "newest",
    "level_sets",
    "every",
    "fact_selection",
    "runs",
    "anti_join",
    "change_dispatch",
)

extensions = cythonize(
    [
        Extension(f"{KERNEL}.{name}", [f"src/{KERNEL.replace(chr(46), chr(47))}/{name}.py"])
        for name in (MODULES if IS_COMPILED else ())
    ],
    compiler_directives={
        "language_level": "3",
        "boundscheck": CHECKED,
        "wraparound": False,
        "cdivision": True,
        "initializedcheck": CHECKED,
        "show_performance_hints": False,
    },
    include_path=["src"],
    build_dir="build/checked" if CHECKED else "build/cython",
    force=CHECKED,
)
for extension in extensions:
    extension.optional = True  # cythonize does not carry it over
    extension.extra_compile_args = ["-O2", "-g0", "-fno-strict-aliasing"]

setup(ext_modules=extensions)
