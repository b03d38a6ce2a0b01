"""What is done to the end though something interrupts it."""

import pytest

from pantarhei.model.doing_all import run_all


def test_all_is_done_and_then_the_first_interrupt_raised():
    done = []

    def interrupted(name):
        done.append(name)
        raise KeyboardInterrupt(name)

    with pytest.raises(KeyboardInterrupt, match="first"):
        run_all([lambda: interrupted("first"), lambda: done.append("second"), lambda: interrupted("third")])
    assert done == ["first", "second", "third"]


def test_nothing_is_raised_where_nothing_was():
    done = []
    run_all(done.append for _ in range(0))
    run_all([lambda: done.append(1)])
    assert done == [1]
