"""What counts against the limits: model, log, terms and consumers, each once."""

import random

import pyarrow as pa
import pytest
from rdflib import OWL, RDF, XSD, BNode, Literal, Namespace, URIRef, Variable

import pantarhei.engine.memory as compaction
import pantarhei.engine.stream_history as stream_history
from class_counts import ClassCounts
from counts import some
from pantarhei import Limits, Ontology, StreamReasoner, Window
from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.lexicon import Tables
from pantarhei.encoding.numbers import FIRST_LITERAL, UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.consumer import Consumers
from pantarhei.engine.memory import Eviction, Memory
from pantarhei.engine.stream_state import StreamState
from pantarhei.errors import MemoryLimitError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.materialize.model import WindowModel
from pantarhei.model.data_range import Datatype, DatatypeRestriction
from pantarhei.model.rule import Atom, Builtin, Member, Rule
from pantarhei.window.log import Entry, Log
from pantarhei.window.retention import History, PastEntries
from strategies import EX as StrategiesEX
from strategies import A, B, is_a, member
from worlds import World


@pytest.fixture
def held():
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(9))
    for at in range(3):
        reasoner.push(at, [(StrategiesEX[f"x{at}-{i}"], RDF.type, A) for i in range(50)])
    return reasoner._held


def memory(held, **limits):
    return Memory(Limits(**limits), held.vocabulary, held.consumers)


def test_what_is_held_is_what_the_stats_count(held):
    assert memory(held, max_bytes=1).held(held.model, held.history.log) == held.stats().bytes
    assert memory(held, max_facts=1).held(held.model, held.history.log) == 0, "bytes have no limit"


def test_what_is_left_for_the_model_is_all_but_the_rest(held):
    log, most = held.history.log, held.stats().bytes
    assert memory(held, max_bytes=most).left_for_model(log) == held.model.bytes_used
    assert memory(held, max_bytes=1).left_for_model(log) == 0
    assert memory(held, max_facts=1).left_for_model(log) is None


def test_terms_that_are_known_to_be_unused_do_not_count(held):
    used = UsedTerms(*held.vocabulary.counts)
    used.add_first(1, names=74)
    assert used.share == pytest.approx(75 / 151)
    counted = memory(held, max_bytes=1).counting(used)
    assert counted.terms == vocabulary_bytes(held.vocabulary) * 75 // 151


def test_terms_that_a_consumer_holds_are_in_use(held):
    held.attach("counts", ClassCounts())
    used = UsedTerms(*held.vocabulary.counts)
    memory(held).counting(used)
    assert used.share == pytest.approx(1 / 151)


def test_three_quarters_are_not_tight_and_a_byte_more_is(held):
    model, log, now = held.model, held.history.log, held.stats().bytes
    assert memory(held, max_bytes=-(-4 * now // 3)).is_tight(model, log) is False
    assert memory(held, max_bytes=4 * now // 3 - 1).is_tight(model, log) is True
    assert memory(held, max_facts=1).is_tight(model, log) is False


def test_a_limit_is_exceeded_by_facts_or_by_bytes(held):
    model, log, now = held.model, held.history.log, held.stats().bytes
    assert memory(held, max_facts=150, max_bytes=now).exceeded(model, log) is None
    assert memory(held, max_facts=149).exceeded(model, log) == ("max_facts", 149, 150)
    assert memory(held, max_bytes=now - 1).exceeded(model, log) == ("max_bytes", now - 1, now)


x = Variable("x")
EACH = 10  # assertions of a timestamp, from each of which another fact follows


@pytest.fixture
def window_of_fitting():
    """Makes a `Eviction` of four timestamps."""
    foundation = Foundation.of(Ontology.from_rules([Rule("cax-sco", (is_a(A, x),), is_a(B, x))]))
    model, entries = foundation.model(), []
    for level in range(4):
        facts = foundation.vocabulary.encode(
            [member(A, StrategiesEX[f"i{level}x{i}"]) for i in range(EACH)]
        ).facts
        model.add(facts, level)
        entries.append(Entry(level, level + 1, level + 1, facts, facts[:0]))
    model.take_changes()

    def made(**limits):
        memory = Memory(Limits(**limits), foundation.vocabulary, Consumers())
        return Eviction(model, Log.of(entries), memory, PastEntries(History()))

    return made


def at(entries):
    return [entry.at for entry in entries]


def test_what_fits_stays(window_of_fitting):
    fitting = window_of_fitting(max_facts=8 * EACH, on_limit="drop")
    fitting.fit(4)
    assert (at(fitting.early), len(fitting.model)) == ([], 8 * EACH)


@pytest.mark.parametrize(("most", "early"), [(8 * EACH - 1, [1]), (4 * EACH, [1, 2]), (2 * EACH, [1, 2, 3])])
def test_the_oldest_leave_and_no_more_than_must(window_of_fitting, most, early):
    fitting = window_of_fitting(max_facts=most, on_limit="drop")
    fitting.fit(4)
    assert at(fitting.early) == early
    assert len(fitting.model) == 2 * EACH * (4 - len(early)) and len(fitting.log.timeline) == 4 - len(early)


def test_too_many_bytes_make_the_oldest_leave_and_the_model_is_to_be_made_anew(window_of_fitting):
    fitting = window_of_fitting(max_bytes=1, on_limit="drop")
    fitting.fit(4)
    assert at(fitting.early) == [1, 2, 3] and fitting.needs_rebuild
    assert fitting.needs_recheck  # whether the last one fits is known once the model is made anew


def test_where_nothing_is_to_leave_and_where_one_alone_is_too_much_it_is_an_error(window_of_fitting):
    with pytest.raises(MemoryLimitError):
        window_of_fitting(max_facts=EACH).fit(4)
    with pytest.raises(MemoryLimitError):
        window_of_fitting(max_facts=EACH, on_limit="drop").fit(4)


EX = Namespace("http://example.org/")
x_of_compaction, y, z = Variable("x"), Variable("y"), Variable("z")
ADD = URIRef("http://www.w3.org/2003/11/swrlb#add")
HOT = DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, Literal(50)),))
RULES = [
    Rule("prp-inv1", (Atom(EX.madeBy, (x_of_compaction, y)),), Atom(EX.made, (y, x_of_compaction))),
    Rule(
        "cls-svf1",
        (Atom(EX.value, (x_of_compaction, y)),),
        Atom(EX.Hot, (x_of_compaction,)),
        tests=(Member(y, HOT),),
    ),
    Rule("cls-hv1", (Atom(EX.Hot, (x_of_compaction,)),), Atom(EX.level, (x_of_compaction, Literal("high")))),
    Rule("cax-dw", (Atom(EX.Well, (x_of_compaction,)), Atom(EX.Broken, (x_of_compaction,))), None),
]
PLUS_ONE = Rule(
    "swrl",
    (Atom(EX.value, (x_of_compaction, y)),),
    Atom(EX.next, (x_of_compaction, z)),
    tests=(Builtin(ADD, (z, y, Literal(1))),),
)
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


WINDOW_ALONE = History(steps=0)


def reasoner_of(rules=RULES, window=3, history=WINDOW_ALONE, **options):
    """One that remembers nothing but its window, where nothing else is said."""
    return StreamReasoner(Ontology.from_rules(rules), Window(window), history=history, **options)


def fresh(at, count=20):
    """Observations that only this time has, the last of a hot value."""
    for number in range(count):
        who = EX[f"o{at}-{number}"]
        yield who, EX.madeBy, EX[f"sensor{number}"]
        yield who, EX.value, Literal(1000 * at + number if number else at % 100)
    yield EX[f"o{at}-0"], EX[f"seenAt{at}"], EX.sensor0
    yield EX[f"o{at}-0"], RDF.type, EX[f"SeenAt{at}"]
    yield EX[f"o{at}-0"], RDF.type, BNode(f"seenAt{at}")
    yield EX.sensor0, RDF.type, EX.Well if at % 2 else EX.Broken


def as_table(triples):
    columns = zip(*([term.n3() for term in triple] for triple in triples), strict=True)
    return pa.table(dict(zip(("subject", "predicate", "object"), map(list, columns), strict=True)))


def terms_of(reasoner):
    return sum(reasoner._held.vocabulary.counts)


def used_terms(reasoner):
    triples = {*reasoner.materialization(), *(triple for _, triple in reasoner.assertions())}
    return {term for triple in triples for term in triple}


def forget(reasoner):
    reasoner._held.most_entries = -1
    reasoner._held.forget_unused()


@both_ways
@pytest.mark.parametrize("give", [list, as_table])
def test_a_stream_of_fresh_terms_takes_the_room_of_its_window(monkeypatch, keep, give):
    monkeypatch.setattr(compaction, "MIN_GROWTH", 0)
    reasoner, most = reasoner_of([*RULES, PLUS_ONE], keep=keep), 0
    for at in range(150):
        reasoner.push(at, give(list(fresh(at))))
        most = max(most, reasoner._held.vocabulary.size / len(used_terms(reasoner)))
    assert most < 4, "entries for each used term: by term and by text, half as many again before forgetting"
    assert terms_of(reasoner) < 500  # of more than 6,000


def test_forms_that_never_come_again_take_no_room(monkeypatch):
    monkeypatch.setattr(compaction, "MIN_GROWTH", 0)
    reasoner = reasoner_of()
    for at in range(400):
        one = Literal("0" * at + "1", datatype=XSD.integer, normalize=False)
        reasoner.push(at, as_table([(EX.a, EX.value, one)]))
        assert {(a, t[2].n3()) for a, t in reasoner.assertions()} >= {(at, one.n3())}
    assert reasoner._held.vocabulary.size < 100
    assert len(reasoner._held.forms.facts) + len(reasoner._held.forms.pairs) < 100


def test_what_fails_to_be_taken_in_takes_no_room(monkeypatch):
    monkeypatch.setattr(compaction, "MIN_GROWTH", 0)
    reasoner = reasoner_of()
    for at in range(200):
        with pytest.raises(ValueError, match="broken"):
            reasoner.push(0, broken(at))
    assert terms_of(reasoner) < 200


def broken(at):
    yield from fresh(at)
    raise ValueError("broken")


def test_nothing_is_forgotten_while_there_is_little():
    reasoner = reasoner_of()
    for at in range(20):
        reasoner.push(at, fresh(at))
    assert terms_of(reasoner) > 400


@both_ways
def test_nothing_is_made_anew_where_all_is_used(keep):
    reasoner = reasoner_of(keep=keep)
    for at in range(10):
        reasoner.push(at, fresh(at))
    forget(reasoner)  # what only a text or a form of a literal needed
    lexicon, model = reasoner._held.vocabulary.lexicon, reasoner._held.model
    forget(reasoner)
    assert reasoner._held.vocabulary.lexicon is lexicon and reasoner._held.model is model
    assert reasoner._held.most_entries > reasoner._held.vocabulary.size
    reasoner._held.vocabulary.number(EX.unused)
    forget(reasoner)
    assert reasoner._held.vocabulary.lexicon is not lexicon
    assert reasoner._held.vocabulary.find(EX.unused) is None


@both_ways
def test_all_that_is_left_is_used_or_common(keep):
    reasoner = reasoner_of(keep=keep, background=[(EX.b, EX.value, Literal(7))])
    for at in range(10):
        reasoner.push(at, fresh(at))
    forget(reasoner)
    common = reasoner._held.foundation.common
    left = {
        *reasoner._held.vocabulary.names[common.names :],
        *reasoner._held.vocabulary.literals[common.literals :],
    }
    cut = {triple[0] for repair in reasoner.repairs for _, triple in repair.removed}
    assert left and left <= used_terms(reasoner) | cut
    symbols = {symbol.name for symbol in reasoner._held.vocabulary.symbols[common.symbols :]}
    assert {EX.seenAt9, EX.SeenAt9, BNode("seenAt9")} <= symbols <= used_terms(reasoner)


@both_ways
def test_common_terms_keep_their_numbers(keep):
    world = World(2, constraints=2)
    reasoner = world.reasoner(Window(2), keep=keep)
    common, vocabulary = reasoner._held.foundation.common, reasoner._held.vocabulary
    names, literals = vocabulary.names[: common.names], vocabulary.literals[: common.literals]
    symbols = vocabulary.symbols[: common.symbols]
    for at in range(5):
        reasoner.push(at, world.facts(10))
        forget(reasoner)
        assert vocabulary.names[: common.names] == names
        assert vocabulary.literals[: common.literals] == literals
        assert vocabulary.symbols[: common.symbols] == symbols
        assert reasoner._held.foundation.digest == reasoner.foundation.digest


@pytest.mark.parametrize("unique_names", [True, False])
def test_rules_made_on_demand_bring_no_constants(unique_names):
    """The constants of all rules are among the common terms, whose numbers stay."""
    thing = Rule(
        "cax-sco",
        (Atom(URIRef("http://www.w3.org/2002/07/owl#Thing"), (x_of_compaction,)),),
        Atom(EX.T, (x_of_compaction,)),
    )
    reasoner = reasoner_of([*RULES, thing], unique_names=unique_names)
    ill_typed = Literal("x", datatype=XSD.integer)
    reasoner.push(1, [*fresh(1), (EX.new, EX.newer, ill_typed), (EX.a, EX.value, ill_typed)])
    numbers, common = reasoner._held.vocabulary, reasoner._held.foundation.common
    rules = reasoner._held.growing.program.rules
    assert len(rules) > len(reasoner._held.growing.theory.rules)
    atoms = [atom for rule in rules for atom in (*rule.body, *filter(None, [rule.head]))]
    constants = {a for atom in atoms for a in atom.arguments if not isinstance(a, Variable)}
    assert constants
    for term in constants:
        number = numbers.find(term)
        assert number < common.names or FIRST_LITERAL <= number < FIRST_LITERAL + common.literals


def test_rules_that_grow_after_forgetting_find_their_terms(monkeypatch):
    thing = Rule(
        "cax-sco",
        (Atom(URIRef("http://www.w3.org/2002/07/owl#Thing"), (x_of_compaction,)),),
        Atom(EX.T, (x_of_compaction,)),
    )
    steady, compact = (reasoner_of([*RULES, thing, PLUS_ONE]) for _ in "12")
    for at in range(12):
        more = [(EX[f"o{at}-1"], EX[f"p{at}"], Literal(f"{at}", datatype=XSD.integer))]
        forget(compact)
        updates = [each.push(at, [*fresh(at), *more]) for each in (steady, compact)]
        assert updates[0].delta == updates[1].delta
        assert steady.materialization() == compact.materialization()


def test_updates_keep_the_terms_of_their_time():
    reasoner = reasoner_of()
    updates = []
    for at in range(30):
        updates.append(reasoner.push(at, fresh(at)))
        forget(reasoner)
    for at, update in enumerate(updates):
        assert (EX[f"o{at}-3"], EX.madeBy, EX.sensor3) in update.delta.added
        assert (EX[f"o{at}-0"], EX[f"seenAt{at}"], EX.sensor0) in update.delta.added
        assert (EX[f"o{at}-0"], RDF.type, EX[f"SeenAt{at}"]) in update.delta.added
        removed = {(at - 1, (EX.sensor0, RDF.type, EX.Broken if at % 2 else EX.Well))}
        assert update.repair.removed == (removed if at else frozenset())


def test_what_is_being_decoded_is_not_disturbed():
    reasoner = reasoner_of()
    reasoner.push(0, fresh(0))
    reasoner.push(1, fresh(1))
    facts = reasoner._held.model.facts()
    wanted = list(reasoner._held.vocabulary.decode(facts))
    triples = reasoner._held.vocabulary.decode(facts)
    found = [next(triples)]
    reasoner.advance(100)
    forget(reasoner)
    assert terms_of(reasoner) < 10
    assert found + list(triples) == wanted


# -- classes and properties ------------------------------------------------------------------------


def of_fresh_symbols(at, count=40):
    """Facts of a few names, each of a class or property of its own."""
    for number in range(count):
        who, kind = EX[f"s{number % 5}"], number % 3
        yield (
            who,
            EX[f"p{at}-{number}"] if kind else RDF.type,
            (
                EX[f"C{at}-{number}"],
                EX[f"s{number % 7}"],
                Literal(number),
            )[kind],
        )


@both_ways
@pytest.mark.parametrize("give", some([list, as_table], [list]))
@pytest.mark.parametrize("limits", [{}, {"max_bytes": 1_000_000}])
def test_a_stream_of_fresh_classes_and_properties_takes_the_room_of_its_window(
    monkeypatch, keep, give, limits
):
    monkeypatch.setattr(compaction, "MIN_GROWTH", 100)
    reasoner = reasoner_of(keep=keep, **limits)
    symbols, sizes = [], []
    for at in range(150):
        reasoner.push(at, give(list(of_fresh_symbols(at))))
        symbols.append(reasoner.stats().symbols)
        sizes.append(reasoner.stats().bytes)
    common = reasoner._held.foundation.common.symbols
    assert max(symbols) < common + 4 * 40 * 3, "of 6,000; those in the window and half as many again"
    assert max(sizes[50:]) <= max(sizes[:50])


def test_blank_nodes_as_classes_take_the_room_of_their_window(monkeypatch):
    monkeypatch.setattr(compaction, "MIN_GROWTH", 0)
    reasoner = reasoner_of()
    one = pa.table({"subject": ["<urn:x>"], "predicate": [f"<{RDF.type}>"], "object": ["_:c"]})
    for at in range(200):
        update = reasoner.push(at, one)
        assert len(update.delta.added) == 1
    assert reasoner.stats().symbols < 20


@both_ways
def test_a_number_that_was_given_anew_has_the_index_of_its_symbol(keep):
    reasoner = reasoner_of(window=2, keep=keep)

    def found(name):
        return [set(reasoner.graph.triples(pattern)) for pattern in ((EX.a, name, None), (None, name, EX.b))]

    reasoner.push(0, [(EX.a, EX.gone, EX.b), (EX.b, EX.gone, EX.a)])
    reasoner.push(3, [(EX.a, EX.stays, EX.b), (EX.a, EX.stays, EX.a)])
    assert found(EX.gone) == [set(), set()]
    number = reasoner._held.vocabulary.find_property(EX.gone)
    forget(reasoner)
    assert reasoner._held.vocabulary.find_property(EX.stays) == number
    reasoner._held.model.kernel.check_invariants()
    reasoner.push(4, [(EX.a, EX.new, EX.b), (EX.b, EX.new, EX.b)])
    assert found(EX.stays) == [{(EX.a, EX.stays, EX.b), (EX.a, EX.stays, EX.a)}, {(EX.a, EX.stays, EX.b)}]
    assert found(EX.new) == [{(EX.a, EX.new, EX.b)}, {(EX.a, EX.new, EX.b), (EX.b, EX.new, EX.b)}]
    reasoner.advance(6)
    forget(reasoner)  # the indexed number of the one that left is the other's
    assert reasoner._held.vocabulary.find_property(EX.new) == number
    reasoner._held.model.kernel.check_invariants()
    assert found(EX.new) == [{(EX.a, EX.new, EX.b)}, {(EX.a, EX.new, EX.b), (EX.b, EX.new, EX.b)}]
    assert found(EX.stays) == [set(), set()]


@pytest.mark.parametrize("unique_names", [True, False])
def test_what_the_program_numbers_stays_while_it_is_in_force(unique_names):
    """Rules made on demand have plans for symbols that the stream brought."""
    reasoner = reasoner_of(unique_names=unique_names)
    reasoner.push(0, [(EX.a, EX.first, EX.b), (EX.a, RDF.type, OWL.Nothing), (EX.a, OWL.sameAs, EX.b)])
    program = reasoner._held.growing.program
    assert len(program.predicates) > reasoner._held.foundation.common.symbols
    reasoner.advance(10)
    forget(reasoner)
    assert tuple(reasoner._held.vocabulary.symbols) == program.predicates
    update = reasoner.push(11, [(EX.c, RDF.type, OWL.Nothing), (EX.c, EX.first, EX.d)])
    assert update.repair.removed == {(11, (EX.c, RDF.type, OWL.Nothing))}
    assert reasoner._held.growing.program is program


def test_a_demand_that_comes_after_others_were_forgotten_is_met():
    reasoner = reasoner_of(window=0)
    for at in range(5):
        reasoner.push(2 * at, of_fresh_symbols(at, 10))
        forget(reasoner)
        assert reasoner.stats().symbols > reasoner._held.foundation.common.symbols
    reasoner.advance(20)
    forget(reasoner)
    update = reasoner.push(21, [*of_fresh_symbols(21, 9), (EX.c, RDF.type, OWL.Nothing)])
    assert update.repair.removed == {(21, (EX.c, RDF.type, OWL.Nothing))}


def test_a_small_abox_shares_memory_with_few():
    """Views of one large array would keep all of it as long as one of them is in the window."""
    reasoner = reasoner_of(window=100_000)
    for at in range(3000):
        reasoner.push(at, [(EX[f"o{at}-{i}"], RDF.type, EX.C) for i in range(4)])
    reasoner.push(3000, [(EX[f"o{i}"], RDF.type, EX.C) for i in range(2 * stream_history.BATCH)])
    forget(reasoner)
    entries = list(reasoner._held.history.log)
    assert sum(len(entry.facts) for entry in entries) == 4 * 3000 + 2 * stream_history.BATCH
    for entry in entries:
        whole = entry.facts if entry.facts.base is None else entry.facts.base
        assert whole.size <= 3 * max(stream_history.BATCH, len(entry.facts))


# -- all or nothing --------------------------------------------------------------------------------


def test_an_abox_may_ask_the_reasoner_while_it_is_read():
    reasoner = reasoner_of()
    for at in range(3):
        reasoner.push(at, fresh(at))
    reasoner.advance(9)
    who = [(EX[name], EX.madeBy, EX.sensor0) for name in ("one", "other")]

    def abox():
        yield who[0]
        forget(reasoner)  # as stats() may
        yield who[1]

    reasoner.push(10, abox())
    assert {triple for _, triple in reasoner.assertions()} == set(who)


def test_nothing_is_forgotten_while_old_books_may_come_back():
    reasoner = reasoner_of()
    for at in range(5):
        reasoner.push(at, fresh(at))
    before = reasoner.materialization(), reasoner.assertions(), reasoner.timestamps
    with pytest.raises(RuntimeError), reasoner.all_or_nothing():
        for at in range(5, 9):
            reasoner._held.most_entries = -1
            with reasoner.all_or_nothing():
                reasoner.push(at, fresh(at))
        reasoner._held.most_entries = -1
        known = terms_of(reasoner)
        reasoner.advance(100)
        assert terms_of(reasoner) == known
        raise RuntimeError
    assert (reasoner.materialization(), reasoner.assertions(), reasoner.timestamps) == before
    known = terms_of(reasoner)
    with reasoner.all_or_nothing():
        assert terms_of(reasoner) < known, "before it begins, there is time"


POINTS = [
    (compaction, "compact"),
    (Tables, "renamed"),
    (Vocabulary, "replace_tables"),
    (WindowModel, "rename"),
    (WindowModel, "mark_terms"),
    (StreamState, "_replace_tables"),
]


@both_ways
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("target", "point"), POINTS, ids=[point for _, point in POINTS])
def test_an_error_while_forgetting_leaves_all_as_it_was(monkeypatch, keep, error, after, target, point):
    import pantarhei.engine.maintained_state as module

    dice = random.Random(f"{point}{after}")
    steady, shaken = (reasoner_of([*RULES, PLUS_ONE], keep=keep) for _ in "12")
    target = module if target is compaction else target
    for at in range(8):
        facts = list(fresh(at, 10))
        if at > 2 and dice.random() < 0.7:
            shaken._held.vocabulary.number(EX[f"unused{at}"])  # else there is nothing to forget
            shaken._held.most_entries = -1
            before = (
                shaken.materialization(),
                shaken.assertions(),
                shaken.timestamps,
                shaken._held.history.messages,
            )
            with monkeypatch.context() as patch:
                patch.setattr(target, point, breaking(getattr(target, point), error, after))
                with pytest.raises(error):
                    shaken.push(at, facts)
            found = (
                shaken.materialization(),
                shaken.assertions(),
                shaken.timestamps,
                shaken._held.history.messages,
            )
            assert found == before
            shaken._held.model.kernel.check_invariants()
        updates = [each.push(at, facts) for each in (steady, shaken)]
        assert updates[0].delta == updates[1].delta
        assert updates[0].repair == updates[1].repair
        assert steady.materialization() == shaken.materialization()
        shaken._held.model.kernel.check_invariants()


def breaking(whole, error, after):
    calls = []

    def broken(*args):
        calls.append(1)
        if len(calls) > 1:
            return whole(*args)
        if after:
            whole(*args)
        raise error("injected")

    return broken


def test_a_model_lost_to_an_error_is_made_again_before_terms_are_forgotten(monkeypatch):
    reasoner = reasoner_of()
    for at in range(5):
        reasoner.push(at, fresh(at))
    wanted = reasoner.materialization()
    reasoner._held.drop_model()
    forget(reasoner)
    assert reasoner.materialization() == wanted


# -- what goes on in the new numbers ---------------------------------------------------------------


@both_ways
def test_a_contradicted_abox_is_undone_in_the_new_numbers(keep):
    """A further part of it comes after its terms were given other numbers."""
    steady, compact = (reasoner_of(keep=keep) for _ in "12")
    gone = [(EX[f"gone{i}"], EX.madeBy, EX.sensor1) for i in range(20)]
    parts = {
        0: [gone],
        2: [[(EX.s, RDF.type, EX.Well), (EX.o, EX.madeBy, EX.s)]],
        5: [[(EX.s, RDF.type, EX.Broken), (EX.q, EX.madeBy, EX.s)], [(EX.z, EX.madeBy, EX.s)], fresh(5)],
    }
    for at, given in parts.items():
        for part in given:
            triples = list(part)
            forget(compact)
            updates = [each.push(at, triples) for each in (steady, compact)]
            assert updates[0].delta == updates[1].delta and updates[0].repair == updates[1].repair
            assert steady.materialization() == compact.materialization()
            assert steady.assertions() == compact.assertions()
            compact._held.model.kernel.check_invariants()
    assert compact.repairs[-1].removed


def test_values_that_are_renewed_are_in_their_ranges_by_their_new_numbers():
    steady, compact = (reasoner_of(window=2) for _ in "12")
    cold = [(EX[f"c{i}"], EX.value, Literal(i)) for i in range(40)]
    hot = [(EX.h, EX.value, Literal(70)), (EX.c, EX.value, Literal(-5))]
    for at, triples in enumerate([cold, [], hot, hot, []]):
        for each in (steady, compact):
            each.push(at, triples)
    forget(compact)
    # at 5 the values of 2 leave, and are renewed at 3 before anything is added
    assert compact.advance(5).delta == steady.advance(5).delta
    assert compact.materialization() == steady.materialization()
    assert (EX.h, RDF.type, EX.Hot) in compact.materialization()
    assert (EX.c, RDF.type, EX.Hot) not in compact.materialization()


def test_repairs_that_left_the_window_do_not_come_back():
    reasoner = reasoner_of(window=2)
    for at in range(4):
        reasoner.push(at, fresh(at))
    reasoner.advance(20)
    assert reasoner.repairs == ()
    forget(reasoner)
    assert reasoner.repairs == () and reasoner.timestamps == ()
    reasoner.push(21, fresh(21))
    assert reasoner.repairs == () and reasoner.timestamps == (21,)
