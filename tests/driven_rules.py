"""Random temporal rules over a repaired window, run tick by tick beside a reasoner without rules."""

from collections import Counter, defaultdict

import pytest
from rdflib import RDF, Graph, Namespace, Variable

import pantarhei as pr
from oracle.lars.coupling import couple
from oracle.lars.output import answers, feedback_atoms, output_stream
from oracle.lars.streams import Stream
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TimeWindow, TupleWindow

E = Namespace("http://e/")
DRIVING = pr.load_ontology(
    Graph().parse(
        data="""
    @prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Gas owl:disjointWith :Brakes . :Brakes rdfs:subClassOf :Attended . :Gas rdfs:subClassOf :Attended .
    [ a owl:Class ; owl:intersectionOf ( :Brakes :Clutch ) ] rdfs:subClassOf :Stopping .
    :Stopping owl:disjointWith :Moving ."""
    )
)
PUSHED = ("Gas", "Brakes", "Clutch", "Moving")
CLASSES = (*PUSHED, "Attended", "Stopping")


def driving_rules(rnd):
    """Return a few rules over the ontology's classes with conclusions A, B and C; each depends only on
    earlier ones.
    """
    x, rules = Variable("x"), []
    for place, head in enumerate("ABC"[: rnd.randint(1, 3)]):
        body = []
        for j in range(rnd.choice((1, 2, 2))):
            name = rnd.choice([*CLASSES, *(f"asserted {each}" for each in PUSHED), *"ABC"[:place]])
            atom = TemporalAtom(E[name.removeprefix("asserted ")], (x,), name.startswith("asserted "))
            mode = rnd.choice((Mode.NOW, Mode.SOMETIME, Mode.ALWAYS, Mode.AT))
            window = None if mode is Mode.NOW else TimeWindow(rnd.choice((0, 1, 2, 3)))
            if window and atom.is_asserted and rnd.random() < 0.3:
                window = TupleWindow(rnd.randint(1, 5))
            time = Variable(f"t{rnd.randrange(2)}") if mode is Mode.AT else None
            is_negated = j > 0 and time is None and rnd.random() < 0.4
            body.append(Formula(atom, mode, window, time, is_negated))
        rules.append(TemporalRule(Formula(TemporalAtom(E[head], (x,))), tuple(body)))
    return tuple(rules)


class Driven:
    """Two reasoners over one stream: one with temporal rules receives the input as it is, the other advances
    tick by tick and records the input of each tick.
    """

    feedback, rules_of = False, staticmethod(driving_rules)

    def __init__(self, rnd, tick=None):
        self.rnd = rnd
        rules = self.rules_of(rnd)
        remembered = frozenset(rule.head.atom.predicate for rule in rules if rnd.random() < 0.5)
        self.slide = rnd.choice((1, 1, 3))
        self.window = pr.Window(
            range=rnd.choice((3, 4, 6)) if self.slide > 1 else rnd.randint(0, 4), slide=self.slide
        )
        self.tick = tick or self.slide
        start = rnd.choice((None, None, rnd.randint(-6, 20)))  # before, within or behind the pushed times
        self.rules = pr.TemporalRules(rules, remembered, start, self.feedback)
        self.reasoner = pr.StreamReasoner(DRIVING, self.window, temporal=self.rules, tick=tick)
        self.plain = pr.StreamReasoner(DRIVING, self.window)
        self.recorded, self.pushed, self.followed = {}, [], set()
        self.cut = {}  # assertions that repairs removed, with the time of the repair
        windows = (formula.window for rule in rules for formula in rule.body)
        self.largest = max((each.size for each in windows if isinstance(each, TimeWindow)), default=0)

    def tick_of(self, at):
        return -(-at // self.tick)

    def note(self, at):
        """Record the input of the tick of a time, as it is now."""
        tick = self.tick_of(at)
        kept = set(self.plain.assertions())
        in_window = set(self.plain.timestamps)
        # a further part of a timestamp can take back the cut of the first part
        self.cut = {each: since for each, since in self.cut.items() if each not in kept and since < at}
        lost = {each for each in self.pushed if each[0] in in_window} - kept - set(self.cut)
        lost_facts = {fact for _, fact in lost}
        lost |= {each for each in self.pushed if each[0] not in in_window and each[1] in lost_facts}
        self.cut = dict.fromkeys(lost, at) | self.cut
        events = [
            fact for time, fact in self.pushed if self.tick_of(time) == tick and (time, fact) not in self.cut
        ]
        atoms = [TemporalAtom(cls, (who,), True) for who, _, cls in dict.fromkeys(events)]
        atoms += [
            TemporalAtom(cls, (who,)) for who, kind, cls in self.plain.materialization() if kind == RDF.type
        ]
        self.recorded[tick] = atoms

    def push(self, at, facts):
        before = max(self.recorded, default=self.tick_of(at))
        if before in self.recorded and before < self.tick_of(at):  # facts may leave before its end
            self.plain.advance(before * self.tick)
            self.note(before * self.tick)
        for tick in range(before + 1, self.tick_of(at) + 1):
            self.begin(tick)
            if tick < self.tick_of(at):
                self.plain.advance(tick * self.tick)
                self.note(tick * self.tick)
        self.push_facts(at, facts)
        self.note(at)
        return self.reasoner.push(at, facts)

    def begin(self, tick):
        """Start a tick."""

    def push_facts(self, at, facts):
        self.plain.push(at, facts)
        self.pushed += [(at, fact) for fact in facts]

    def disturb(self, at):
        """Perform an operation that must not change any result."""
        match self.rnd.randrange(8):
            case 0:
                self.reasoner = pr.StreamReasoner.restore(self.reasoner.snapshot(), DRIVING)
            case 1:
                with pytest.raises(ZeroDivisionError), self.reasoner.all_or_nothing():
                    self.reasoner.push(at, self.facts())
                    self.reasoner.push(at + 2, self.facts())
                    raise ZeroDivisionError
            case 2:
                self.reasoner._held.most_entries = 0  # unused terms are removed at the next step

    def follow(self, changes, output):
        """Check the reported changes of intermediate ticks against the definition's output."""
        before = self.followed
        for turn in changes.turns:
            assert not self.followed & turn.added and turn.removed <= self.followed
            self.followed = self.followed - turn.removed | turn.added
            assert self.followed == output[self.tick_of(turn.at)], f"at {turn.at}\n{self}"
        assert changes.atoms_added == self.followed - before
        assert changes.atoms_removed == before - self.followed

    def __str__(self):
        return f"{self.rules}\nstart={self.rules.start}, {self.window}, tick={self.tick}"

    def expected(self):
        """Return the expected conclusions of each tick."""
        output = output_stream(self.rules.rules, self.stream(), self.rules.remembered, self.first)
        return defaultdict(frozenset, output)  # no conclusions before the start

    @property
    def begins(self):
        """First tick of the timeline."""
        return (
            min(self.recorded) - self.largest if self.rules.start is None else self.tick_of(self.rules.start)
        )

    @property
    def first(self):
        """First tick with conclusions."""
        return max(min(self.recorded), self.begins)

    def stream(self):
        """Return the recorded input."""
        atoms = {tick: atoms for tick, atoms in self.recorded.items() if tick >= self.begins}
        return Stream.of(self.begins, max(self.recorded), atoms)

    def facts(self):
        return [(E[who], RDF.type, E[self.rnd.choice(PUSHED)]) for who in "vw" if self.rnd.random() < 0.6]


def feedback_rules(rnd):
    """Return a few rules with heads in the ontology's classes and in others, at the present tick or another
    one.
    """
    x, rules, heads = Variable("x"), [], ("A", "B", "Clutch", "Gas", "Attended")
    for head in rnd.sample(heads, rnd.randint(1, 3)):
        body = []
        for _ in range(rnd.choice((1, 1, 2))):
            name = rnd.choice([*(f"asserted {each}" for each in (*PUSHED, *heads)), *CLASSES, *heads])
            atom = TemporalAtom(E[name.removeprefix("asserted ")], (x,), name.startswith("asserted "))
            mode = rnd.choice((Mode.NOW, Mode.NOW, Mode.SOMETIME, Mode.AT))
            window = None if mode is Mode.NOW else TimeWindow(rnd.choice((0, 1, 2)))
            body.append(Formula(atom, mode, window, Variable("t") if mode is Mode.AT else None))
        served = Formula(TemporalAtom(E.Brakes, (x,), True), is_negated=True)
        body += [served] * (rnd.random() < 0.6)
        is_dated = any(each.time for each in body) and rnd.random() < 0.5
        conclusion = TemporalAtom(E[head], (x,))
        head = Formula(conclusion, Mode.AT, None, Variable("t")) if is_dated else Formula(conclusion)
        rules.append(TemporalRule(head, tuple(body)))
    return tuple(rules)


class DrivenWithFeedback(Driven):
    """`Driven` with feedback: the conclusions of a tick are asserted when the next tick begins."""

    feedback = True
    rules_of = staticmethod(feedback_rules)

    def __init__(self, rnd, tick=None):
        super().__init__(rnd, tick)
        self.coupled = couple(self.rules.rules, self.rules.remembered, DRIVING.rules)
        self.count, self.query = 0, self.reasoner.register("SELECT ?x ?c { ?x a ?c }", name="all")
        self.held, self.answers = set(), Counter()

    def answer(self):
        """Return the answer stream of the newest tick."""
        return list(answers(self.coupled.rules, self.stream(), self.coupled.remembered, self.first))

    def expected(self):
        concluded = {rule.head.atom.predicate for rule in self.coupled.rules}
        output = {
            answer.end: {a for a in answer.at(answer.end) if a.predicate in concluded and not a.is_asserted}
            for answer in self.answer()
        }
        return defaultdict(frozenset, output)

    def begin(self, tick):
        facts = [
            (a.arguments[0], RDF.type, a.predicate)
            for answer in self.answer()[-1:]
            for a in feedback_atoms(self.rules.rules, answer)
        ]
        if facts:
            self.push_facts((tick - 1) * self.tick + 1, facts)
            self.count += len(facts)

    def push(self, at, facts):
        update = super().push(at, facts)
        self.held = self.held - update.delta.removed | update.delta.added
        changes = update.answers.get("all")
        if changes is not None:
            self.answers.update(changes.added)
            self.answers.subtract(changes.removed)
        return update
