"""Options: checked once, where they are made."""

import pickle

import pytest

from pantarhei import Budget, Limits, Ontology, StreamReasoner
from pantarhei.engine.options import Options
from pantarhei.errors import OptionError
from pantarhei.window.sliding import Window


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("window", 3),
        ("repair", "newest"),
        ("keep", "oldest"),
        ("unique_names", None),
        ("budget", None),
        ("limits", 8),
        ("derive", "some"),
        ("conclusions", "everywhere"),
    ],
)
def test_an_option_that_has_no_such_value_is_refused_by_its_name(name, value):
    with pytest.raises(OptionError) as raised:
        Options(**{"window": Window(2), name: value})
    assert (raised.value.option, raised.value.given) == (name, repr(value))


def test_options_come_back_from_another_process_as_they_were():
    options = Options(Window(2), repair="off", unique_names=False)
    assert pickle.loads(pickle.dumps(options)) == options


def test_a_reasoner_with_the_options_of_another_has_them_all():
    first = StreamReasoner(
        Ontology.from_rules([]),
        Window(2),
        None,
        "off",
        "every",
        False,
        Budget(sets=7),
        90,
        9_000_000,
        "drop",
        "needed",
    )
    assert StreamReasoner.with_options(first.ontology, first.options).options == first.options
    assert first.options == Options(
        Window(2), "off", "every", False, Budget(sets=7), Limits(90, 9_000_000, "drop"), "needed"
    )
