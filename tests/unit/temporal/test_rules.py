"""Rules from a text or a file, checked."""

import pickle

import pytest
from rdflib import OWL, RDF, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.errors import TemporalRuleError

EX = Namespace("http://example.org/")
PREFIXES = {"": str(EX)}
ALARM = "alarm(V) :- overheated(V) always in [5 min], not asserted maintained(V) in [10 min]."


def test_a_text_is_read_and_a_path_too(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_text(ALARM)
    rules = pr.load_rules(ALARM, prefixes=PREFIXES)
    assert pr.load_rules(path, prefixes=PREFIXES) == pr.load_rules(str(path), prefixes=PREFIXES) == rules
    assert [rule.head.atom.predicate for rule in rules.rules] == [EX.alarm]


def test_rules_pickle():
    rules = pr.load_rules(ALARM + " remember alarm.", start=3, prefixes=PREFIXES, feedback=True)
    back = pickle.loads(pickle.dumps(rules))
    assert back == rules
    assert (back.remembered, back.start, back.feedback) == ({EX.alarm}, 3, True)


def test_a_text_of_rules_reads_back():
    prefixes = f"@prefix : <{EX}> .\n@prefix ex: <urn:ex#> .\n"
    text = f"{prefixes} remember alarm. {ALARM} q(X) at T+1 :- ex:P(X, _) at T in [3 #]."
    rules = pr.load_rules(text)
    assert pr.load_rules(str(rules)) == rules
    assert "ex:P(X, _2) at T in [3 #]" in str(rules)


def test_what_is_remembered_is_the_head_of_a_rule():
    with pytest.raises(pr.TemporalRuleError, match="hot is declared as remembered, but no rule concludes it"):
        pr.load_rules("remember hot. alarm(X) :- hot(X).", prefixes=PREFIXES)


def test_what_is_remembered_in_vain_is_told_of_where_it_stands():
    with pytest.raises(pr.TemporalRuleError, match="zzz is declared as remembered") as told:
        pr.load_rules("alarm(X) :- hot(X).\nremember alarm, zzz.", prefixes=PREFIXES)
    assert (told.value.line, told.value.column) == (2, 17)


@pytest.mark.parametrize(
    "prefixes", [["x"], "x", 5, {"ex": 5}, {"": "not an iri"}, {"": "http://example.org/ "}, {3: str(EX)}]
)
def test_prefixes_stand_for_iris(prefixes):
    with pytest.raises(pr.OptionError, match=r"prefixes=.*expected prefixes with the IRIs"):
        pr.load_rules(ALARM, prefixes=prefixes)


@pytest.mark.parametrize("sign", [":-", "<-", "←"])
def test_what_has_an_arrow_is_text(sign):
    assert len(pr.load_rules(f"a(X) {sign} b(X).", prefixes=PREFIXES).rules) == 1


@pytest.mark.parametrize("text", ["on.", "a(:x) at 3. "])
def test_facts_on_one_line_are_a_path_and_an_error_says_what_to_do(text):
    with pytest.raises(pr.InputError, match="if this is the text of rules, end it with a line break"):
        pr.load_rules(text, prefixes=PREFIXES)
    assert len(pr.load_rules(text + "\n", prefixes=PREFIXES).rules) == 1


@pytest.mark.parametrize("missing", ["", "no/such.lars"])
def test_a_file_that_is_not_there_is_told_of(missing):
    with pytest.raises(pr.InputError) as told:
        pr.load_rules(missing)
    assert "line break" not in str(told.value)


def test_a_file_that_is_no_text_is_told_of(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_bytes(b"a :- \xff")
    with pytest.raises(pr.MalformedInputError):
        pr.load_rules(path)


def test_a_file_without_rules_is_told_of(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_text(f"% {ALARM}")
    with pytest.raises(pr.MalformedInputError, match="it has no rule; expected a rule such as"):
        pr.load_rules(path)


@pytest.mark.parametrize("text", ["\n", f"% {ALARM}\n", "@prefix : <http://example.org/> .\n"])
def test_a_text_without_rules_is_told_of(text):
    with pytest.raises(pr.TemporalTextError, match="the text has no rule; expected a rule such as"):
        pr.load_rules(text)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("a(X) :- b(X, _), not c(X, _).", r": _ in not c\(X, _\) is not bound"),
        ("a(_) :- b(X).", ": _ in the head is not bound"),
        ("a(X) :- b(X, _1), not c(X, _2, _).", r": _2 in not c\(X, _2, _\) is not bound"),
    ],
)
def test_a_variable_without_a_name_has_none_in_an_error(rule, said):
    with pytest.raises(pr.TemporalRuleError, match=said):
        pr.load_rules(rule, prefixes=PREFIXES)


def test_a_start_that_is_no_time_is_told_of():
    with pytest.raises(pr.TimestampError):
        pr.load_rules(ALARM, start="noon", prefixes=PREFIXES)


@pytest.mark.parametrize("given", [3, None, b"a :- b."])
def test_a_source_is_a_path_or_a_text(given):
    with pytest.raises(pr.OptionError):
        pr.load_rules(given)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a(X) :- b(X).\nc(Y) :- b(X).", 2, 3), ("a(X) :- b(X)", 1, 13), ('a("x) :- b(X).', 1, 3)],
)
def test_an_error_names_the_file_that_was_read(tmp_path, text, line, column):
    path = tmp_path / "alarms.lars"
    path.write_text(text)
    with pytest.raises(pr.TemporalRuleError) as told:
        pr.load_rules(path, prefixes=PREFIXES)
    assert (told.value.source, told.value.line, told.value.column) == (str(path), line, column)
    assert f"{path}, line {line}, column {column}: " in str(told.value)
    with pytest.raises(pr.TemporalRuleError) as told:
        pr.load_rules(text + "\n:-", prefixes=PREFIXES)
    assert told.value.source is None


def test_what_the_reasoner_refuses_has_its_file_too(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_text("a(X) :- b(X) in [5 min].")
    rules = pr.load_rules(path, prefixes=PREFIXES)
    with pytest.raises(pr.TemporalRuleError) as told:
        pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=3), temporal=rules)
    assert told.value.source == str(path)


def test_a_window_of_time_that_is_too_short_for_a_count_is_refused_by_the_reasoner():
    rules = pr.load_rules("a(X) :- b(X) at least 8 times in [5 min].", prefixes=PREFIXES)
    with pytest.raises(pr.TemporalRuleError, match="the window has 6 ticks at most") as told:
        pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("PT1H", slide="PT1M"), temporal=rules)
    assert told.value.column == 9
    pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("PT1H", slide="PT30S"), temporal=rules)


AXIOMS = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :Broken rdfs:subClassOf :Out .
    [ a owl:Class ; owl:intersectionOf ( :Out :Vital ) ] rdfs:subClassOf :Emergency .
    :hasFault rdfs:domain :Broken ; rdfs:range :Fault .
    :Spare rdfs:subClassOf :Ready . :Ready owl:disjointWith :Gone .
    :servedBy a owl:FunctionalProperty , owl:ObjectProperty .
    :level a owl:DatatypeProperty .
""" + "".join(  # eight data ranges: a ninth takes a byte more
    f"""[ a owl:Restriction ; owl:onProperty :level ; owl:someValuesFrom
      [ a rdfs:Datatype ; owl:onDatatype xsd:integer ;
        owl:withRestrictions ( [ xsd:minInclusive {least} ] ) ] ] rdfs:subClassOf :High{least} . """
    for least in range(8)
)
ONTOLOGY = pr.load_ontology(Graph().parse(data=AXIOMS))


def reasoner_with(text, window=None, **options):
    rules = pr.load_rules(text + "\n", prefixes={"": str(EX), "owl": str(OWL)})
    return pr.StreamReasoner(ONTOLOGY, window or pr.Window(range=0), temporal=rules, **options)


def is_a(*names):
    return [(EX.v, RDF.type, EX[name]) for name in names]


def names(reasoner):
    return " ".join(sorted(atom.predicate.removeprefix(EX) for atom in reasoner.atoms()))


def test_what_follows_by_the_ontology_is_concluded_too():
    reasoner = reasoner_with(":Broken(V) :- asserted hot(V) in [1].")
    reasoner.push(0, is_a("hot"))
    assert names(reasoner) == "Broken Out"
    update = reasoner.push(1, is_a("Vital"))  # a premise that the stream brings
    assert names(reasoner) == "Broken Emergency Out"
    assert {atom.predicate for atom in update.conclusions.atoms_added} == {EX.Emergency}
    reasoner.push(2, is_a("Vital"))
    assert names(reasoner) == ""
    assert (EX.v, RDF.type, EX.Out) not in reasoner.materialization()


def test_of_a_property_domain_and_range_follow():
    reasoner = reasoner_with(":hasFault(V, F) :- reported(V, F).")
    reasoner.push(0, [(EX.v, EX.reported, EX.leak)])
    assert reasoner.conclusions() == {
        (EX.v, EX.hasFault, EX.leak),
        *is_a("Broken", "Out"),
        (EX.leak, RDF.type, EX.Fault),
    }


# at:                     0   1   2   3
# hot                     x
# Broken, Out (concluded) x
# late                    x   x   x        a window over what follows looks back at what was
def test_conclusions_of_the_ontologys_predicates_are_remembered_and_others_are_not():
    reasoner = reasoner_with(
        ":Broken(V) :- hot(V). alarm(V) :- hot(V). late(V) :- :Out(V) in [2]. no(V) :- alarm(V) in [2]."
    )
    seen = []
    for at in range(4):
        reasoner.push(at, is_a("hot") if at == 0 else [])
        seen.append(names(reasoner))
    assert seen == ["Broken Out alarm late no", "late", "late", ""]


def high(reasoner, least):
    return {who for who, _, class_ in reasoner.conclusions() if class_ == EX[f"High{least}"]}


def test_literals_are_tested_as_in_the_ontology():
    reasoner = reasoner_with(":level(V, M) :- asserted reading(V, N), M = N * 2.")
    reasoner.push(0, [(EX.v, EX.reading, Literal(2)), (EX.w, EX.reading, Literal(3))])
    assert high(reasoner, 5) == {EX.w} and high(reasoner, 4) == {EX.v, EX.w}
    # an ill-typed value brings a constraint and a data range more: the numbers of ranges are others then
    bad = Literal("none", datatype=Literal(1).datatype)
    reasoner.push(1, [(EX.v, EX.reading, Literal(4)), (EX.w, EX.other, bad)])
    assert high(reasoner, 5) == {EX.v} and high(reasoner, 7) == {EX.v}


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (":Gone(V)", "Gone belongs to the ontology, and its conclusions can violate Ready DisjointWith G"),
        (":Spare(V)", "Spare belongs to the ontology, and its conclusions can violate"),
        (":servedBy(V, V)", "can violate Functional: servedBy"),
        ("owl:Nothing(V)", "can violate the definition of owl:Nothing"),
        ("owl:sameAs(V, V)", "can violate unique names"),
    ],
)
def test_a_head_that_a_constraint_can_follow_from_is_refused_with_its_place(head, said):
    with pytest.raises(TemporalRuleError, match=said) as caught:
        reasoner_with(f"alarm(V) :- hot(V).\n  {head} :- hot(V).")
    assert (caught.value.line, caught.value.column) == (2, 3)


def test_without_unique_names_a_head_that_makes_names_equal_is_refused():
    for head in ("owl:sameAs(V, V)", ":servedBy(V, V)"):
        with pytest.raises(TemporalRuleError, match="can make names equal by"):
            reasoner_with(f"{head} :- hot(V).", unique_names=False)


def test_without_unique_names_what_is_concluded_of_a_name_is_concluded_of_its_equals():
    reasoner = reasoner_with(":Broken(V) :- asserted hot(V).", unique_names=False)
    reasoner.push(0, [*is_a("hot"), (EX.v, OWL.sameAs, EX.w)])
    assert (EX.w, RDF.type, EX.Out) in reasoner.conclusions()


def test_strata_are_those_of_all_rules_together():
    with pytest.raises(TemporalRuleError, match="Broken depends on its own absence"):
        reasoner_with(":Broken(V) :- hot(V), not :Emergency(V).")
    assert pr.load_rules(":Broken(V) :- hot(V), not :Emergency(V).", prefixes={"": str(EX)})


def test_a_checkpoint_has_what_is_remembered_of_what_follows():
    reasoner = reasoner_with(":Broken(V) :- hot(V). late(V) :- :Out(V) in [2].")
    reasoner.push(0, is_a("hot"))
    reasoner.advance(1)
    again = pr.StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert names(again) == names(reasoner) == "late"
    again.advance(3)
    assert names(again) == ""
