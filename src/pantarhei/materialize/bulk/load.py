"""Many facts into the kernel of rows at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.materialize.bulk.columns import Columns, columns_of
from pantarhei.materialize.bulk.edge_joins import edges_of
from pantarhei.materialize.bulk.evaluation import BulkProgram, Settled, TooManyError, TooSlowError
from pantarhei.materialize.bulk.plans import Literals
from pantarhei.materialize.kernel.constants import EDGE
from pantarhei.materialize.kernel.newest import NewestKernel
from pantarhei.materialize.kernel.rows import ROW
from pantarhei.materialize.readable import readable


def load(
    kernel: NewestKernel,
    program: BulkProgram,
    facts: Integers,
    levels: Integers,
    previous: Integers,
    literals: Literals,
) -> None:
    """Do what `kernel.add` does: what follows is found set at a time, and stored as settled.

    Costs some milliseconds, sorting what is stored, and a fraction of what the kernel takes for each fact.
    Where facts follow few at a time the kernel does it after all.
    In the kernel no interpretation may have been merged, whose levels have no proofs.

    Args:
        program: the kernel's.
        facts: int32, contiguous, shape (n, 3).
        levels: of each.
        previous: is filled as by `kernel.add`.

    Raises:
        Overfull: more follows than the kernel may hold; it is of no use any more.
    """
    new = _new(kernel, facts)
    most = min(kernel.store.most, kernel.store.most_bytes // ROW.itemsize) - kernel.store.live
    try:
        closure = program.closure(_stored(kernel, program), facts[new], levels[new], literals, most)
    except TooManyError as error:
        kernel.store.expect(error.facts)  # raises what there is to raise
        raise AssertionError("there was room") from error
    except TooSlowError:
        kernel.consult(literals)
        kernel.add(readable(facts), readable(levels), readable(previous))
        return
    kernel.consult(literals)  # there may be more of them now, in a larger array
    kernel.store.expect(closure.came)
    for part in closure.settled:
        edges = _edges_among(part, closure.edges)
        kernel.enter(readable(part.facts), readable(part.columns.levels), readable(edges))
    kernel.firings += closure.firings
    kernel.note(readable(facts), readable(levels), readable(previous))
    if program.noted:
        edges = np.concatenate([facts[:0], *(part.facts for part in closure.edges)])
        kernel.flag_settled(readable(edges))
    if kernel.detect:
        for plan, violating in closure.violating:
            kernel.find_violations_with(plan, readable(violating))


def _new(kernel: NewestKernel, facts: Integers) -> slice | npt.NDArray[np.bool_]:
    """Which facts are not stored."""
    if not kernel.store.live:
        return slice(None)
    levels = np.empty(len(facts), np.int32)
    kernel.find_levels(readable(facts), readable(levels))
    new: npt.NDArray[np.bool_] = levels == NONE
    return new


def _edges_among(part: Settled, edges: Sequence[Settled]) -> Integers:
    """1 for each of the facts that is an edge, 0 for the others."""
    found = np.zeros(len(part.columns), np.int32)
    for others in edges:
        if others.predicate == part.predicate:
            found[others.columns.find(part.columns.keys) >= 0] = 1
    return found


def _stored(kernel: NewestKernel, program: BulkProgram) -> dict[int, Columns]:
    """What the kernel holds, by predicate, and the edges among it."""
    if not kernel.store.live:
        return {}
    *fact, levels, flags = kernel.store.columns("predicate", "subject", "object", "level", "flags")
    present = fact[0] >= 0
    facts = np.stack([column[present] for column in fact], axis=1).astype(np.int32)
    levels = levels[present].astype(np.int32)
    columns = columns_of(facts, levels)
    if program.noted:
        edges = np.isin(facts[:, 0], list(program.noted)) & (flags[present] & EDGE != 0)
        found = columns_of(facts[edges], levels[edges])
        columns.update((edges_of(predicate), some) for predicate, some in found.items())
    return columns
