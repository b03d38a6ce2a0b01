"""Sequences of actions that all run, although some raise."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def run_all(actions: Iterable[Callable[[], None]]) -> None:
    """Run all actions in order, then raise the first exception that any raised."""
    raised: BaseException | None = None
    for action in actions:
        try:
            action()
        except BaseException as error:
            raised = raised or error
    if raised is not None:
        raise raised
