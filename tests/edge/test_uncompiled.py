"""The package where there is no compiler: a copy without its compiled modules gives the same answers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pantarhei

TESTS = Path(__file__).resolve().parents[1]
EXAMPLES = TESTS / "conformance" / "test_pb26_examples.py"

# Each script first makes sure of what it runs.
CHECKED = """
import sys, warnings
import pantarhei, pantarhei.materialize.model as model
assert pantarhei.__file__.startswith(sys.argv[1]), pantarhei.__file__
assert model.COMPILED is False
"""

ONE_WARNING = """
from rdflib import URIRef
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.errors import UncompiledKernelWarning
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        StreamReasoner(Ontology.from_rules([]), Window(1)).push(0, [(URIRef("urn:a"),) * 3])
said = [one for one in caught if issubclass(one.category, UncompiledKernelWarning)]
assert len(said) == 1, caught
assert "compiler" in str(said[0].message)
"""

EXAMPLES_OF_PB26 = """
import pytest
code = pytest.main([sys.argv[2], f"--rootdir={sys.argv[1]}", "-c", sys.argv[3], "-p", "no:cacheprovider",
                    "--import-mode=importlib", "-q"])
assert code == 0, code
"""

STATE_MACHINES = """
sys.path.insert(0, sys.argv[2])
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
import property.test_stream_reasoner as tested
short = settings(max_examples=15, stateful_step_count=12, deadline=None, derandomize=True, database=None,
                 suppress_health_check=list(HealthCheck))
for machine in (tested.Stepping, tested.SteppingEvery):
    run_state_machine_as_test(machine, settings=short)
assert min(tested.STEPS[keep] for keep in ("newest", "every")) > 50, tested.STEPS
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The folder of a copy of the package without compiled modules."""
    folder = tmp_path_factory.mktemp("uncompiled")
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(Path(pantarhei.__file__).parent, folder / "pantarhei", ignore=ignored)
    return folder


def run(copy, script, *arguments):
    return subprocess.run(
        [sys.executable, "-c", CHECKED + script, str(copy), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=copy,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_it_is_said_exactly_once_that_the_kernel_is_not_compiled(copy):
    done = run(copy, ONE_WARNING)
    assert done.returncode == 0, done.stderr


def test_the_warning_is_said_by_default(copy):
    """Python hides some warnings unless asked; not this one."""
    done = run(copy, "pantarhei.StreamReasoner(pantarhei.Ontology.from_rules([]), pantarhei.Window(1))")
    assert done.stderr.count("UncompiledKernelWarning") == 1


def test_the_worked_examples_come_out_the_same(copy):
    ini = copy / "pytest.ini"
    ini.write_text("[pytest]\n")
    done = run(copy, EXAMPLES_OF_PB26, EXAMPLES, ini)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


@pytest.mark.long
def test_the_definitions_hold_step_by_step(copy):
    done = run(copy, STATE_MACHINES, TESTS)
    assert done.returncode == 0, done.stdout + done.stderr
