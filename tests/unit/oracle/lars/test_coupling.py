"""An ontology's rules beside temporal rules that conclude its predicates."""

from lars_programs import EX, ONTOLOGY, atom, now, rule, some
from oracle.lars.coupling import couple
from oracle.lars.output import output_stream
from oracle.lars.streams import Stream

A_TO_S, S_TO_X, B_TO_R = ONTOLOGY[:3]
RULES = (rule(atom("a", "X"), now(atom("asserted c", "X"))), rule(atom("y", "X"), some(atom("x", "X"), 1)))


def test_rules_join_as_far_as_conclusions_lead():
    rules, remembered = couple(RULES, [], [S_TO_X, A_TO_S, B_TO_R])
    assert rules[2:] == (rule(atom("x", "X"), atom("s", "X")), rule(atom("s", "X"), atom("a", "X")))
    assert remembered == {EX.a, EX.s, EX.x}
    assert couple(RULES, [EX.y], [B_TO_R]) == (RULES, {EX.y})


def test_what_follows_is_a_state_of_its_tick():
    rules, remembered = couple(RULES, [], [S_TO_X, A_TO_S])
    stream = Stream.of(0, 2, {0: [atom("asserted c", "i")]})
    output = output_stream(rules, stream, remembered)
    assert output == {0: {atom(name, "i") for name in "asxy"}, 1: {atom("y", "i")}, 2: set()}
