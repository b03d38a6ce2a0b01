"""The options of a check: the window that rules are to run over."""

from datetime import timedelta

import pytest
import typer

from pantarhei import OptionError, Window
from pantarhei.cli.check_options import CheckOptions


def test_the_window_is_what_range_and_slide_say():
    assert CheckOptions().window is None
    assert CheckOptions(range="4").window == Window(range=4)
    assert CheckOptions(range="PT5M", slide="PT1M").window == Window(
        timedelta(minutes=5), timedelta(minutes=1)
    )


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"slide": "2"}, typer.BadParameter),
        ({"range": "long"}, typer.BadParameter),
        ({"range": "4", "slide": "often"}, typer.BadParameter),
        ({"range": "2", "slide": "5"}, OptionError),
    ],
)
def test_what_is_no_window_is_refused(given, error):
    with pytest.raises(error):
        _ = CheckOptions(**given).window
