"""The constants as Python and the C compiler have them."""

from __future__ import annotations

import re
from pathlib import Path

from pantarhei.materialize.kernel import constants

DECLARED = re.findall(
    r"^    (\w+) = (.+)$", Path(constants.__file__).with_suffix(".pxd").read_text(), re.MULTILINE
)
CONSTANTS = {name: value for name, value in vars(constants).items() if name.isupper()}


def test_python_and_the_c_compiler_have_the_same_constants():
    assert {name: eval(value) for name, value in DECLARED} == CONSTANTS


def test_every_constant_is_a_c_int():
    assert all(-(2**31) <= value < 2**31 for value in CONSTANTS.values())
