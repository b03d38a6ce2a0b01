"""Facts by themselves, where window models are asked."""

from __future__ import annotations

from typing import Final

from pantarhei.encoding.numbers import Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import WindowModel
from pantarhei.rules.compilation.program import compile_


def plain_model(facts: Integers, vocabulary: Vocabulary) -> WindowModel:
    """A model without rules that holds some facts, all at one level.

    Args:
        facts: shape (n, 3), in the numbers of the vocabulary.
    """
    model = WindowModel(_NO_RULES, "newest", vocabulary)
    model.add(facts, 0)
    model.take_changes()
    return model


_NO_RULES: Final = compile_(())
