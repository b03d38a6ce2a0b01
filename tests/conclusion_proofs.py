"""Check of proofs of conclusions by the definitions: each step is true, and depends only on the input."""

from dataclasses import replace

from oracle.canonical_literals import canonical_term, canonical_triple
from oracle.lars.answers import answer_stream
from oracle.lars.grounding import run_builtins
from oracle.lars.satisfaction import literal_of, satisfies, tick_of
from oracle.lars.streams import canonical, window_of
from oracle.materialization import unify
from pantarhei.model.rule import Variable
from pantarhei.model.temporal_rule import Mode, TupleWindow
from pantarhei.proofs.step import EvidenceBasis, StepKind


class ConclusionProofs:
    """Checks the proofs of one tick.

    Args:
        rules: the temporal rules.
        stream: the input up to that tick, including remembered conclusions.
        remembered: the remembered conclusions of each earlier tick.
        tick: function from a time to its tick.
        ontology: rules that were joined to the temporal ones.
    """

    def __init__(self, rules, stream, remembered, tick=int, ontology=(), answer=None):
        self.rules = {str(rule): rule for rule in rules}
        self.ontology = ontology
        self.now, self.tick = stream.end, tick
        self.input = stream.joined(remembered)
        self.remembered = remembered
        self.answer = answer or answer_stream(rules, self.input)

    def check(self, proof, atom):
        """Check that each step is true and depends only on earlier steps, and that the last one states the
        atom.
        """
        self.proof = proof
        assert proof.complete
        for place, step in enumerate(proof.steps):
            assert all(premise < place for premise in step.premises)
            match step.kind:
                case StepKind.CONCLUDED:
                    self.check_conclusion(step)
                case StepKind.CONDITION:
                    assert step.fact is None and step.rule is None
                case StepKind.SAID:
                    self.check_statement(step.temporal)
                case StepKind.DERIVED if step.rule in self.ontology:
                    facts = [canonical_triple(proof.steps[premise].fact) for premise in step.premises]
                    assert follows(step.rule, facts, canonical_triple(step.fact))
                    assert self.is_so(step.fact, self.now)
        last = proof.steps[-1]
        assert last.kind in (StepKind.CONCLUDED, StepKind.DERIVED)
        assert proof.triple == atom.triple
        if last.kind is StepKind.CONCLUDED:
            assert (
                canonical(last.temporal.atom) == canonical(atom)
                and self.tick(last.temporal.first) == self.now
            )

    def is_so(self, triple, tick):
        return canonical_triple(triple) in {each.triple for each in self.answer.at(tick)}

    def check_conclusion(self, step):
        rule, statement = self.rules[step.rule.axiom], step.temporal
        binding = {name: canonical_term(term) for name, term in statement.bindings}
        assert run_builtins(rule.tests, binding) is not None
        head = self.grounded(rule.head, binding)
        assert head.atom == canonical(statement.atom) and self.tick(statement.last) == self.now
        at = tick_of(head.time) if head.mode is Mode.AT else self.now
        assert at == self.tick(statement.first)
        for formula, premise in zip(rule.body, step.premises, strict=True):
            self.check_formula(self.grounded(formula, binding), self.proof.steps[premise])

    def grounded(self, formula, binding):
        """Replace the formula's variables by terms, and times by tick numbers."""

        def term(given):
            return binding[given] if isinstance(given, Variable) else canonical_term(given)

        atom = replace(formula.atom, arguments=tuple(map(term, formula.atom.arguments)))
        time = None if formula.time is None else literal_of(self.tick(int(term(formula.time))))
        return replace(formula, atom=atom, time=time)

    def check_formula(self, formula, premise):
        assert satisfies(self.answer, self.now, formula)
        window = self.answer if formula.window is None else window_of(self.answer, self.now, formula.window)
        so = [tick for tick in window.timeline if formula.atom in window.at(tick)]
        leaves = [premise]
        if premise.kind is StepKind.CONDITION:
            statement = premise.temporal
            assert (
                canonical(statement.formula.atom) == formula.atom and statement.formula.mode is formula.mode
            )
            assert statement.formula.window == formula.window and statement.formula.times == formula.times
            leaves = [self.proof.steps[place] for place in premise.premises]
            first, last, times = (
                self.tick(statement.first),
                self.tick(statement.last),
                list(map(self.tick, statement.times)),
            )
            if formula.mode in (Mode.SOMETIME, Mode.ALWAYS):
                assert range(first, last + 1) == window.timeline
            if formula.is_negated:
                named = {Mode.NOW: [self.now], Mode.AT: [tick_of(formula.time)]}.get(formula.mode)
                assert times == [tick for tick in so if named is None or tick in named] and not leaves
                return
            assert times == ([] if formula.mode is Mode.ALWAYS else self.stated_ticks(formula, leaves))
        stated = self.stated_ticks(formula, leaves)
        assert set(stated) <= set(so)
        match formula.mode:
            case Mode.NOW:
                assert stated == [self.now]
            case Mode.AT:
                assert stated == [tick_of(formula.time)]
            case Mode.ALWAYS:
                assert stated == so
            case Mode.SOMETIME:
                assert len(stated) == formula.times

    def stated_ticks(self, formula, leaves):
        """Return the ticks at which steps state that an atom holds."""
        is_of_events = formula.atom.is_asserted or isinstance(formula.window, TupleWindow)
        return sorted(tick for leaf in leaves for tick in self.ticks_of(formula.atom, leaf, is_of_events))

    def ticks_of(self, atom, leaf, is_of_events):
        statement = leaf.temporal
        if statement is None:
            assert canonical_triple(leaf.fact) == atom.triple
            if is_of_events:
                assert replace(atom, is_asserted=True) in self.input.at(self.tick(leaf.at))
                return [self.tick(leaf.at)]
            if leaf.rule not in self.ontology:
                assert atom in self.input.at(self.now)
            return [self.now]
        assert canonical(statement.atom) == replace(atom, is_asserted=False)
        if leaf.kind is StepKind.SAID:
            assert is_of_events is (statement.known is EvidenceBasis.ASSERTED)
        return range(
            self.tick(statement.first), self.tick(statement.first if leaf.rule else statement.last) + 1
        )

    def check_statement(self, statement):
        atom = replace(canonical(statement.atom), is_asserted=statement.known is EvidenceBasis.ASSERTED)
        for tick in range(self.tick(statement.first), self.tick(statement.last) + 1):
            if statement.known is EvidenceBasis.CONCLUDED:
                assert tick < self.now and atom in map(canonical, self.remembered[tick])
            else:
                assert atom in self.input.at(tick)


def follows(rule, facts, head):
    """True if a rule of the ontology derives a fact from others."""
    binding = {}
    for atom, fact in zip((*rule.body, rule.head), (*facts, head), strict=True):
        terms = (fact[0], fact[2]) if len(atom.arguments) == 2 else (fact[0],)
        binding = unify(tuple(map(canonical_or_variable, atom.arguments)), terms, binding)
        assert binding is not None
    return True


def canonical_or_variable(term):
    return term if isinstance(term, Variable) else canonical_term(term)
