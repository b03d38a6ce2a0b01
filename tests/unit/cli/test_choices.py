"""The values to choose from are those that the library takes."""

import inspect
from typing import get_args

import pytest

from pantarhei import StreamReasoner, Window
from pantarhei.cli import choices
from pantarhei.materialize.model import Keep
from pantarhei.repair.choose import Method
from pantarhei.window.limits import OnLimit
from pantarhei.window.sliding import Closed


@pytest.mark.parametrize(
    ("choice", "taken"),
    [
        (choices.ClosedChoice, Closed),
        (choices.RepairChoice, Method),
        (choices.KeepChoice, Keep),
        (choices.OnLimitChoice, OnLimit),
    ],
)
def test_the_command_line_offers_what_the_library_takes(choice, taken):
    assert [one.value for one in choice] == list(get_args(taken))


def test_the_first_choice_is_the_default_of_the_library():
    reasoner, window = inspect.signature(StreamReasoner).parameters, inspect.signature(Window).parameters
    assert window["closed"].default == next(iter(choices.ClosedChoice))
    for option, choice in (("repair", choices.RepairChoice), ("keep", choices.KeepChoice)):
        assert reasoner[option].default == next(iter(choice))
