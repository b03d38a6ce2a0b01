"""Reasoner that explains facts, beside a twin that does not; the definitions check the proofs."""

from collections import Counter
from contextlib import contextmanager
from random import Random

import pytest
from rdflib import RDF

from oracle.canonical_literals import canonical_facts, canonical_triple
from oracle.conflicts import canonical_assertions
from oracle.explanations.proofs import check_proof
from oracle.explanations.shortest import fewest_instances
from oracle.explanations.supports import best_supports, minimal_supports, newest_occurrences
from oracle.materialization import closure, instances
from oracle.window import INFINITY, newest
from pantarhei import NotEntailedError, StreamReasoner
from scenes import table
from strategies import EX
from worlds import interpretations

FEW = 7  # maximum number of asserted facts: the oracle enumerates their subsets
NEVER_HEARD_OF = (EX.nobody, RDF.type, EX.NothingThatIsKnown)


class Explained:
    """Two reasoners that take equal steps; only one of them explains facts.

    Args:
        ontology: the ontology of both.
        window: the window of both.
        options: further options of both, including the background.
        seed: seed of the choice of facts to explain.
        seen: counts the situations that occurred.
    """

    def __init__(self, ontology, window, options, seed, seen):
        self.ontology, self.seen, self.random = ontology, seen, Random(seed)
        self.explaining, self.twin = (StreamReasoner(ontology, window, **options) for _ in "12")
        self.has_budget = options.get("budget") is not None  # then some conflicts can be missing
        self.now = 0
        self.late = []  # updates of both that are read at the end
        if options.get("derive") == "needed":
            for each in self.each:
                each.register(f"SELECT ?x {{ ?x a <{EX.B}> }}")
        self.prepare()

    @property
    def each(self):
        return self.explaining, self.twin

    def prepare(self):
        """Renumber levels far earlier than normally, so that tests cover it."""
        for each in self.each:
            each._held.model.renumber_at = 9

    # -- steps -------------------------------------------------------------------------------------

    def step(self, gap, triples, as_table=False):
        """Push triples, without a gap as a further part of the newest ABox; without triples, advance."""
        self.now += gap
        if triples is None:
            updates = [each.advance(self.now) for each in self.each]
        else:
            given = table(triples) if as_table else triples
            updates = [each.push(self.now, given) for each in self.each]
        self.late.append(updates)
        self.seen["steps"] += 1
        if self.random.random() < 0.5:
            self.check_conflicts(updates[0].repair.conflicts)

    def restore(self):
        """Save both reasoners and continue with the restored ones."""
        with self.same_proofs():
            saved = [each.snapshot() for each in self.each]
            self.explaining, self.twin = (StreamReasoner.restore(each, self.ontology) for each in saved)
        self.prepare()
        self.seen["restored"] += 1

    def forget(self):
        """Remove unused terms and renumber the others."""
        with self.same_proofs():
            for each in self.each:
                each._held.most_entries = -1
                each._held.forget_unused()
        self.seen["compacted"] += 1

    @contextmanager
    def same_proofs(self):
        """Check that internal operations do not change proofs."""
        facts = sorted(self.twin.materialization(), key=str)
        facts = self.random.sample(facts, min(2, len(facts)))
        before = [self.explaining.explain(fact) for fact in facts]
        yield
        assert [self.explaining.explain(fact) for fact in facts] == before

    # -- explaining ------------------------------------------------------------------------------------

    def ask(self, absent, sample=3):
        """Explain some facts that hold, and absences of those facts of `absent` that do not hold.

        The facts that hold are read from the twin, so that the explanation is the first read of the other
        reasoner.
        """
        self.oracle_state()
        explain = self.explain_fully if len(self.newest) <= FEW else self.explain
        for fact in self.chosen(sample):
            self.explain_within(fact, explain(fact), self.random.choice((1, 2, 3, 5, 10)))
        self.ask_for_conflicts()
        known = canonical_facts(self.facts)
        for fact in [*absent, NEVER_HEARD_OF]:
            if canonical_triple(fact) not in known:
                with pytest.raises(NotEntailedError):
                    self.explaining.explain(fact)
                self.seen["absent"] += 1

    def chosen(self, sample):
        """Return some facts, most of them derived from assertions."""
        always = closure(self.rules, self.background)
        instances_ = instances(self.rules, self.annotations)
        heads = {head for _, body, head in instances_ if head not in always and not always.issuperset(body)}
        joined = [fact for fact in self.facts if canonical_triple(fact) in heads]
        few = self.random.sample(joined, min(sample, len(joined)))
        return few + self.random.sample(self.facts, min(max(1, sample - len(few)), len(self.facts)))

    def oracle_state(self):
        """Compute the oracle's state of the twin's window: the rules, the facts, their timestamps."""
        twin = self.twin
        self.rules = twin._held.growing.program.rules
        self.assertions, self.background = canonical_assertions(twin.assertions()), twin.background
        self.newest = newest_occurrences(self.assertions)
        aboxes = {at: {fact for time, fact in self.assertions if time == at} for at in twin.timestamps}
        self.annotations = newest(self.rules, aboxes, self.background)
        self.facts = sorted(twin.materialization(), key=str)
        assert canonical_facts(self.facts) == set(self.annotations)

    def explain(self, fact):
        """Check the proof of `fact`: it is sound, has the fact's timestamp, and uses no more assertions than
        necessary.
        """
        proof = self.explaining.explain(fact)
        self.check(proof, fact)
        annotation = self.annotations[canonical_triple(fact)]
        assert proof.timestamp == (None if annotation == INFINITY else annotation)
        return proof

    def check(self, proof, fact):
        check_proof(proof, self.rules, self.assertions, self.background, fact)
        assert canonical_triple(proof.triple) == canonical_triple(fact)
        given = [step for step in proof.steps if step.rule is None]
        supports = frozenset((step.at, step.fact) for step in given if step.at is not None)
        assert proof.supports == supports
        assert proof.background == {step.fact for step in given if step.at is None}
        assert proof.timestamp == min((at for at, _ in supports), default=None)
        self.check_minimal(canonical_assertions(supports), canonical_triple(fact))
        self.count(proof)

    def check_minimal(self, support, fact):
        for left_out in support:
            rest = [each for _, each in support - {left_out}]
            assert fact not in closure(self.rules, [*self.background, *rest])

    def explain_fully(self, fact):
        """Check all supports and the shortest proof against the definitions."""
        proof = self.explain(fact)
        supports = minimal_supports(self.rules, self.assertions, self.background, fact)
        best = best_supports(supports)
        assert canonical_assertions(proof.supports) in best
        if proof.complete:  # otherwise a higher limit could yield a shorter proof
            assert instances_in(proof) == min(
                fewest_instances(self.rules, [*self.background, *(each for _, each in support)], fact)
                for support in best
            )
        proofs = self.explaining.explain(fact, all=True)
        found = Counter(canonical_assertions(each.supports) for each in proofs)
        assert found == Counter(supports)
        for each in proofs:
            self.check(each, fact)
        self.seen["compared"] += 1
        self.seen["of several supports"] += len(supports) > 1
        self.seen["with a choice"] += len(best) > 1
        self.seen["with longer ones"] += len({*map(len, supports)}) > 1
        return proof

    def explain_within(self, fact, best, limit):
        """Check a proof under a limit: it is best, or marks its omissions and is otherwise sound."""
        proof = self.explaining.explain(fact, limit=limit)
        for each in self.explaining.explain(fact, all=True, limit=limit):
            self.check_but_for_open(each, fact)
        self.check_but_for_open(proof, fact)
        if proof.complete:
            assert proof == best
        self.seen["limited"] += not proof.complete

    def check_but_for_open(self, proof, fact):
        """Check that open steps hold, and that the other steps prove the fact at its timestamp or a better
        one.
        """
        open_ = {step.fact for step in proof.steps if step.is_open}
        assert open_ <= set(self.facts) and not (proof.complete and open_)
        check_proof(proof, self.rules, self.assertions, self.background | open_, fact)
        annotation = self.annotations[canonical_triple(fact)]
        if open_:
            self.seen["open"] += 1
            assert proof.timestamp is None or annotation <= proof.timestamp
        elif not proof.complete:
            assert (INFINITY if proof.timestamp is None else proof.timestamp) == annotation

    def ask_for_conflicts(self):
        """Check that the window's conflicts are the supports of ⊥; repaired windows have none."""
        found = self.explaining.conflicts()
        sets = [canonical_assertions(conflict.assertions) for conflict in found]
        if len(self.newest) <= FEW and not self.has_budget:
            assert Counter(sets) == Counter(
                minimal_supports(self.rules, self.assertions, self.background, None)
            )
        assert self.explaining.options.repair == "off" or not found
        self.check_conflicts(found)
        self.seen["in conflict"] += len(found) > 0

    def check_conflicts(self, conflicts):
        """Check that each conflict has a shortest proof for each constraint, from its assertions and the
        background.
        """
        rules, background = self.twin._held.growing.program.rules, self.twin.background
        deriving = tuple(rule for rule in rules if not rule.is_constraint)
        for conflict in conflicts:
            assert {proof.steps[-1].rule for proof in conflict.proofs} == set(conflict.constraints)
            for proof in conflict.proofs:
                check_proof(proof, rules, conflict.assertions, background, None)
                assert proof.supports == conflict.assertions
                facts = [*background, *(fact for _, fact in conflict.assertions)]
                constraint = proof.steps[-1].rule
                assert instances_in(proof) == fewest_instances((*deriving, constraint), facts, None)
                self.seen["contradictions"] += 1

    def count(self, proof):
        rules = [step.rule for step in proof.steps if step.rule]
        self.seen["proofs"] += 1
        self.seen["given up"] += not proof.complete
        self.seen["derived"] += len(rules) > 0
        self.seen["deep"] += len(rules) > 3
        self.seen["joined"] += len(proof.supports) > 1
        self.seen["on background"] += not proof.supports and len(rules) > 0
        self.seen["on both"] += bool(proof.supports) and bool(proof.background)
        self.seen["by equality"] += any(rule.name.startswith("eq-") for rule in rules)
        self.seen["by tests"] += any(rule.tests for rule in rules)

    # -- explaining changes nothing ---------------------------------------------------------------------

    def compare(self, levels):
        """Check that both are equal. Reading `levels` settles pending renewals, so it is not always done."""
        asked, twin = self.each
        assert asked.assertions() == twin.assertions()
        assert asked.materialization() == twin.materialization()
        if levels:
            assert interpretations(asked) == interpretations(twin)
        asked._held.model.kernel.check_invariants()

    def end(self):
        """Compare the updates of both at each step, read late; then let the twin explain as well."""
        self.compare(levels=True)
        for fact in sorted(self.twin.materialization(), key=str)[:10]:
            assert self.explaining.explain(fact) == self.twin.explain(fact)
        for asked, twin in self.late:
            assert (asked.at, asked.start, asked.end) == (twin.at, twin.start, twin.end)
            assert asked.dropped == twin.dropped
            if self.explaining.options.derive == "all":
                assert asked.delta == twin.delta
            for name in ("conflict_sets", "removed", "undecided"):
                assert Counter(getattr(asked.repair, name)) == Counter(getattr(twin.repair, name))
            for mine, other in zip(asked.answers, twin.answers, strict=True):
                assert asked.answers[mine].added == twin.answers[other].added
                assert asked.answers[mine].removed == twin.answers[other].removed
            self.seen["cut"] += len(asked.repair.removed) > 0
            self.seen["dropped"] += len(asked.dropped) > 0


def instances_in(proof):
    return sum(step.rule is not None for step in proof.steps)
