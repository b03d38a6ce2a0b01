import re

import pytest

from shown_proofs import chain, contradiction, evil

LINE = re.compile(
    r'(digraph proof \{|\}|  (graph|node|f\d+) \[(\w+="(?:[^"\\]|\\.)*"(, )?)+\];|  f\d+ -> f\d+;)'
)


@pytest.mark.parametrize("make", [contradiction, evil, lambda: chain(5)])
def test_each_fact_is_a_node_and_each_premise_an_arrow(make):
    proof = make()
    lines = proof.to_dot().splitlines()
    assert all(LINE.fullmatch(line) for line in lines)
    assert sum(line.startswith("  f") and "[" in line for line in lines) == len(proof.steps)
    assert sum("->" in line for line in lines) == sum(len(set(step.premises)) for step in proof.steps)


def test_labels_are_escaped():
    text = evil().to_dot()
    assert r"is a \"];" in text
    assert r"\\x1b[2J&amp;am" in text
