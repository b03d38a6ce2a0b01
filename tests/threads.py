"""Concurrent threads that switch as often as possible."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def quick_switches() -> Iterator[None]:
    """Switch threads as often as possible inside the block."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def run(works: Sequence[Callable[[], object]]) -> list[BaseException]:
    """Run all functions concurrently; return their errors."""
    errors: list[BaseException] = []
    barrier = threading.Barrier(len(works))

    def guarded(work: Callable[[], object]) -> None:
        try:
            barrier.wait()
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def while_working(work: Callable[[], object], *reads: Callable[[], object]) -> list[BaseException]:
    """Repeat each read in a thread of its own until the work has ended, at least once; return all errors."""
    done = threading.Event()

    def end() -> None:
        try:
            work()
        finally:
            done.set()

    def repeat(read: Callable[[], object]) -> None:
        read()
        while not done.is_set():
            read()

    return run([end, *(lambda read=read: repeat(read) for read in reads)])
