"""The repairs of a checkpoint: each is looked at once, in one order, with the evidence of its conflicts."""

import pickle
import sys

from rdflib import XSD, Literal

from checkpoints import COLUMNS, HEADER, LISTED, ODD, ONTOLOGY
from pantarhei import Conflict, Repair, StreamReasoner, Window
from pantarhei.engine.checkpoint import RepairTable
from pantarhei.engine.checkpoint.container import pack
from pantarhei.engine.checkpoint.fact_columns import TimesWriter
from strategies import EX, A, C, V, a, b, member


def lines_run(call):
    """How many lines of Python a call runs."""
    count, before = 0, sys.gettrace()

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def test_a_snapshot_of_four_times_the_repairs_costs_about_four_times_the_work():
    def first_snapshot(count):
        reasoner = StreamReasoner(ONTOLOGY, Window(count))
        for at in range(count):
            reasoner.push(at, [member(C if at % 2 else A, a)])
        assert len(reasoner.repairs) == count - 1
        return lines_run(reasoner.snapshot)

    assert first_snapshot(400) < 5 * first_snapshot(100)


def test_conflicts_after_restores_are_those_of_before_however_many():
    reasoner = StreamReasoner(ONTOLOGY, Window(9))
    reasoner.push(1, [member(A, EX[f"i{number}"]) for number in range(1500)])
    repair = reasoner.push(2, [member(C, EX[f"i{number}"]) for number in range(1500)]).repair
    restored = StreamReasoner.restore(
        StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY).snapshot(), ONTOLOGY
    )
    (found,) = restored.repairs
    assert found == repair and len(found.conflicts) == 1500 and found.conflicts.complete
    assert str(found) == str(repair)
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_checkpoint_that_lists_conflicts_is_read_and_goes_on_as_evidence():
    restored = StreamReasoner.restore(pack(LISTED.header, LISTED.columns, LISTED.version), ODD)
    assert len(restored.repairs) == 3 and all(repair.conflicts for repair in restored.repairs)
    again = StreamReasoner.restore(restored.snapshot(), ODD)
    assert again.repairs == restored.repairs
    fresh = StreamReasoner.restore(pack(HEADER, COLUMNS), ODD)
    assert fresh.repairs == restored.repairs


def test_terms_of_one_text_are_told_in_one_order():
    one, other = ((1, (b, V, Literal("1", datatype=type_))) for type_ in (None, XSD.integer))

    def told(*assertions):
        repair = Repair.of(1, "exact", [Conflict(assertions, ())], frozenset(), frozenset())
        columns, _ = RepairTable().columns([(0, repair)], 0, TimesWriter([]))
        return {name: column.tolist() for name, column in columns.items()}

    assert told(one, other) == told(other, one)
