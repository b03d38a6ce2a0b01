"""Things that are done though one of them is interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def do_all(actions: Iterable[Callable[[], None]]) -> None:
    """Do one after another to the end, then raise what the first that raised anything did."""
    raised: BaseException | None = None
    for action in actions:
        try:
            action()
        except BaseException as error:
            raised = raised or error
    if raised is not None:
        raise raised
