from rdflib import OWL, RDF, BNode, Literal, Namespace, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.translation.class_variables import (
    TYPE,
    by_class,
    gives_literal_class,
    has_class_variables,
    over_one_relation,
    relations_of,
)
from pantarhei.rules.translation.demand import Theory

EX = Namespace("http://example.org/")
x, y = Variable("x"), Variable("y")
KIND = Rule("prp-spo1", (Atom(EX.kind, (x, y)),), Atom(RDF.type, (x, y)))
SUBCLASS = Rule("cax-sco", (Atom(EX.Cat, (x,)),), Atom(EX.Animal, (x,)))


def of_type(who, class_):
    return Atom(RDF.type, (who, class_))


def test_the_two_forms_of_an_atom_are_one_triple_and_one_text():
    for class_ in (EX.Cat, BNode("b")):
        atom = Atom(class_, (x,))
        assert atom.as_type == of_type(x, class_)
        assert atom.as_type.as_class == atom == atom.as_class
        assert str(atom) == str(atom.as_type)
        assert atom.ground({x: EX.a}) == atom.as_type.ground({x: EX.a})


def test_variables_literals_and_other_properties_have_one_form():
    for atom in (of_type(x, y), of_type(x, Literal("Cat")), Atom(EX.kind, (x, EX.Cat))):
        assert atom.as_class is atom
        assert atom.as_type is atom


def test_rules_are_by_class_where_classes_are_names():
    written = Rule("cls-hv1", (of_type(x, EX.Cat),), of_type(x, EX.Animal))
    assert by_class(written).body == SUBCLASS.body
    assert by_class(written).head == SUBCLASS.head
    assert by_class(KIND) is KIND


def test_class_variables_are_found_in_bodies_and_heads():
    assert has_class_variables([SUBCLASS, KIND])
    assert has_class_variables([Rule("prp-dom", (of_type(x, y),), Atom(EX.D, (x,)))])
    assert not has_class_variables([SUBCLASS, Rule("r", (of_type(x, EX.Cat),), None)])


def test_all_rules_are_over_one_relation_then():
    (rule,) = over_one_relation([SUBCLASS])
    assert rule.body == (of_type(x, EX.Cat),)
    assert rule.head == of_type(x, EX.Animal)
    assert over_one_relation([KIND]) == (KIND,)
    asked = frozenset({Symbol(EX.Cat, 1), Symbol(EX.kind, 2)})
    assert relations_of(asked) == {TYPE, Symbol(EX.kind, 2)}


def test_a_literal_as_class_is_seen_in_heads_alone():
    assert gives_literal_class(Rule("r", (Atom(EX.Cat, (x,)),), of_type(x, Literal("c"))))
    assert not gives_literal_class(Rule("r", (of_type(x, Literal("c")),), Atom(EX.Cat, (x,))))
    assert not gives_literal_class(KIND)


def test_a_theory_with_a_class_variable_demands_no_rules_for_classes():
    theory = Theory.of([KIND, SUBCLASS, Rule("r", (Atom(OWL.Thing, (x,)),), Atom(EX.Any, (x,)))], True)
    assert theory.has_class_variables
    assert all(len(atom.arguments) == 2 for rule in theory.rules for atom in rule.atoms)
    assert any(rule.name == "cls-nothing2" for rule in theory.rules)
    assert not theory.follows([Symbol(EX.New, 1)], [])
    demanded = theory.demanded([Symbol(EX.New, 1), TYPE, Symbol(EX.kind, 2)], ())
    thing = of_type(x, OWL.Thing)
    assert [str(rule) for rule in demanded if rule.head == thing and rule.body == (of_type(x, y),)]
    assert all(len(atom.arguments) == 2 for rule in demanded for atom in rule.atoms)


def test_without_class_variables_a_theory_has_a_relation_for_each_class():
    theory = Theory.of([SUBCLASS], True)
    assert not theory.has_class_variables
    assert theory.rules == (SUBCLASS,)
