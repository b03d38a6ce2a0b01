"""Horn programs and what propagation costs, seen through the decision about their atoms."""

import numpy as np
import pytest

from lineages import Case, lineage_of
from pantarhei.materialize.kernel.constants import BOTTOM, IN, OPEN
from pantarhei.materialize.kernel.decision import Decision
from pantarhei.materialize.kernel.horn import HornProgram, program_of
from pantarhei.materialize.kernel_values import contiguous

pytestmark = pytest.mark.timeout(60)
UNLIMITED = 1 << 40


def ints(*numbers):
    return contiguous(np.array(numbers, np.int32))


def program(atoms, *rules):
    """A program of rules `(head, number, body)`."""
    starts = np.cumsum([0, *(len(body) for *_, body in rules)])
    bodies = [atom for *_, body in rules for atom in body]
    return HornProgram(
        atoms,
        ints(*(head for head, *_ in rules)),
        ints(*(n for _, n, _ in rules)),
        ints(*starts),
        ints(*bodies),
    )


def decided(tested, *asserted):
    """The decision about atoms of one level."""
    decision = Decision(tested, UNLIMITED)
    decision.decide_by_levels(ints(*asserted), ints(0, len(asserted)))
    return decision


def test_a_program_has_an_atom_for_each_row_and_a_rule_for_each_instance_and_violation():
    lineage = lineage_of(Case({3: 1, 7: 2}, [(5, (3,)), (5, (7,))], [(4, (5, 7))]))
    columns = map(contiguous, (lineage.instances, lineage.violations))
    program = program_of(contiguous(lineage.rows), contiguous(np.zeros(3), np.uint8), *columns)
    assert (program.atoms, program.rules) == (3, 3)


def test_the_background_and_repeated_atoms_of_a_body_are_left_out():
    """0 and 9 against each other, with 9 twice in the body and 8 given."""
    lineage = lineage_of(Case({0: 1, 9: 1}, [], [(6, (0, 9))], frozenset()))
    wide = np.array([[6, lineage.rows[0], lineage.rows[1], lineage.rows[1], 8]], np.int32)
    rows = np.append(lineage.rows, 8).astype(np.int32)
    instances = contiguous(np.empty((0, 3), np.int32))
    program = program_of(
        contiguous(rows), contiguous(np.array([0, 0, 1]), np.uint8), instances, contiguous(wide)
    )
    decision = Decision(program, UNLIMITED)
    assert decision.decide_by_levels(contiguous(np.array([0, 1])), contiguous(np.array([0, 2]))) == 2
    atoms, heads, numbers, starts, bodies = decision.residue()
    assert (atoms.tolist(), heads.tolist(), numbers.tolist()) == ([0, 1], [BOTTOM], [6])
    assert (starts.tolist(), sorted(bodies.tolist())) == ([0, 2], [0, 1])


@pytest.mark.parametrize("length", [1, 10, 1000])
def test_propagation_costs_a_step_for_each_known_atom_and_each_use_of_it(length):
    chain = program(2 * length + 2, *((i + 1, 0, (i,)) for i in range(2 * length)))
    assert decided(chain, length).possible.work == 2 * length + 1
    assert decided(chain, 0).possible.work == 4 * length + 1


def test_a_rule_fires_once_all_of_its_body_is_known():
    """2 follows from 0 and 1, and contradicts 3."""
    tested = program(4, (2, 0, (0, 1)), (BOTTOM, 0, (2, 3)))
    assert decided(tested, 0, 3).statuses().tolist() == [IN, 0, 0, IN]
    assert decided(tested, 1, 3).statuses().tolist() == [0, IN, 0, IN]
    assert decided(tested, 0, 1, 3).statuses().tolist() == [OPEN, OPEN, 0, OPEN]


def test_a_fact_is_derived_once_by_several_rules():
    tested = program(3, (2, 0, (0,)), (2, 1, (1,)), (2, 2, (0, 1)))
    assert decided(tested, 0, 1).possible.work == 3 + 4, "three atoms, and four uses in bodies"
    assert decided(tested, 0, 1).statuses().tolist() == [IN, IN, 0]


def test_a_program_without_rules_keeps_all():
    assert decided(program(3), 2, 0).statuses().tolist() == [IN, 0, IN]
    assert decided(program(0)).statuses().tolist() == []
