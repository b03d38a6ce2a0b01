"""The classes of errors, and arguments for each."""

import inspect

from pantarhei import errors

ERRORS = [
    error
    for _, error in inspect.getmembers(errors, inspect.isclass)
    if issubclass(error, errors.PantarheiError)
]


def some_arguments(error):
    """A text for each argument, a tuple of texts where a sequence of them is asked for."""
    parameters = [
        p
        for p in inspect.signature(error.__init__).parameters.values()
        if p.name != "self" and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    given = {"Sequence": ("one", "two"), "int": 3, "bool": True}
    return [next((given[kind] for kind in given if kind in str(p.annotation)), p.name) for p in parameters]
