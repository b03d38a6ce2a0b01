"""What is asked for and not denied is free."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import NONE, as_tuples, signed
from pantarhei.materialize.kernel.anti_join import AntiJoin
from pantarhei.materialize.kernel_values import contiguous
from rule_models import RuleModel

DENIED, ASKED, FREE, UNIT = range(4)


@pytest.mark.parametrize(
    ("there", "coming", "going"),
    [
        ([ASKED], [FREE], []),
        ([ASKED, DENIED], [], []),
        ([ASKED, FREE], [], []),
        ([ASKED, DENIED, FREE], [], [FREE]),
        ([FREE], [], [FREE]),
        ([DENIED], [], []),
    ],
)
@pytest.mark.parametrize("unit", [NONE, UNIT])
def test_what_is_free_is_asked_for_and_not_denied(there, coming, going, unit):
    def fact(predicate):
        if unit == NONE:
            return predicate, 5, 6
        return (predicate, 5, NONE) if predicate == DENIED else (predicate, UNIT, 5)

    model = RuleModel()
    if there:
        model.model.add(np.array([fact(each) for each in there], np.int32), 5)
    guarding = AntiJoin(model.kernel.store, DENIED, ASKED, FREE, unit)
    for told in (ASKED, DENIED):
        changed = signed(np.array([fact(told)], np.int32), 1)
        came, went = map(as_tuples, guarding.changes(contiguous(changed)))
        assert (came, went) == ([fact(each) for each in coming], [fact(each) for each in going])
