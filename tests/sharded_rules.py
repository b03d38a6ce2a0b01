"""Random temporal rules that shards can evaluate."""

import random
from collections import Counter
from dataclasses import replace

from rdflib import RDF

import pantarhei as pr
from lars_programs import EX, FRAGMENTS, KINDS, random_case
from oracle.lars.streams import canonical
from pantarhei.engine.options import Options
from pantarhei.errors import NotKeyLocalRuleError, TemporalRuleError
from pantarhei.model.rule import Rule
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.time import TimeKind
from pantarhei.rdf.ntriples import parse_term
from pantarhei.rules.sharding.routing import Routing
from pantarhei.rules.translation.demand import Theory
from pantarhei.spark.collectors import conclusion_columns
from pantarhei.spark.shards.shard import ShardSetup
from pantarhei.temporal.rule_sharding import check_key_local
from pantarhei.temporal.rules import with_ontology
from strategies import is_a, related, x, y

COUNTS = Counter()
IN = EX["in"]
# locations, which are not in the stream, and their consequences
BACKGROUND = [
    (EX.i, IN, EX.h),
    (EX.j, IN, EX.h),
    (EX.k, IN, EX.l),
    (EX.j, RDF.type, EX.s),
    (EX.h, RDF.type, EX.e),
]
AXIOMS = [
    Rule("also", (is_a(EX.c, x),), is_a(EX.s, x)),
    Rule("told", (related(EX.d, x, y),), related(EX.r, y, x)),
    Rule("houses", (is_a(EX.e, x), related(IN, x, y)), is_a(EX.c, y)),
    Rule("apart", (is_a(EX.c, x), is_a(EX.e, x)), None),
    Rule("turned", (related(EX.b, x, y),), related(EX.r, y, x)),
    Rule("both", (is_a(EX.a, x), is_a(EX.s, x)), is_a(EX.e, x)),
    Rule("housed", (is_a(EX.a, x), related(IN, x, y)), is_a(EX.a, y)),
]
STREAMING = [EX[name] for name in KINDS]
PROPERTIES = [EX[name] for name, kinds in KINDS.items() if kinds == "II"]


def triple(atom):
    subject, *rest = atom.arguments
    return (subject, atom.predicate, rest[0]) if rest else (subject, RDF.type, atom.predicate)


def concluded(row):
    """Return the atom of a row of changes, with canonical literals, since each shard keeps its own lexical
    forms.
    """
    predicate, *arguments = (parse_term(text) for text in row if text is not None)
    return canonical(TemporalAtom(predicate, tuple(arguments)))


def rewritten(rnd, rules):
    """Rewrite rules: some use the background's property instead of a reading, and most use one name."""
    of_one = rnd.random() < 0.7

    def atom(given):
        arguments = given.arguments
        if of_one and arguments:
            named = dict.fromkeys(("X", "Y", "Z"), arguments[0])
            arguments = tuple(type(each)("X") if str(each) in named else each for each in arguments)
        return replace(given, arguments=arguments)

    def formula(given):
        made = replace(given, atom=atom(given.atom))
        if given.atom.predicate == EX.r and rnd.random() < 0.5:
            made = replace(made, atom=TemporalAtom(IN, given.atom.arguments))
        return made

    return tuple(
        replace(rule, head=replace(rule.head, atom=atom(rule.head.atom)), body=tuple(map(formula, rule.body)))
        for rule in rules
    )


class Sharded:
    """Rules that shards can evaluate, their sharding keys, and the input at each tick."""

    def __init__(self, seed):
        self.rnd = rnd = random.Random(seed)
        case = random_case(
            rnd, FRAGMENTS[rnd.choice(("remember", "at in heads", "always and negation", "all"))]
        )
        self.key = rnd.choice(("subject", IN, IN))
        hot_keys = {EX.h: "subject"} if self.key == IN and rnd.random() < 0.3 else {}
        ontology = self.ontology = pr.Ontology.from_rules(
            rnd.sample(AXIOMS, rnd.choice((1, 2, 3))), BACKGROUND
        )
        keys = [self.key, *hot_keys.values()]
        colocated = [name for name in PROPERTIES if rnd.random() < 0.3]
        self.report = ontology.sharding_report(STREAMING, keys=keys, colocated=colocated)
        is_usable = all(map(self.report.allows, keys))
        self.routing = (
            Routing.of(self.report, self.key, hot_keys) if is_usable else Routing(self.report, self.key, {})
        )
        self.input = {
            tick: [
                fact
                for fact in map(triple, filter(self._is_drawn, case.stream.at(tick)))
                if self.routing.refusal(*fact) is None
            ]
            for tick in case.stream.timeline
        }
        slide = rnd.choice((1, 1, 2))
        self.options = Options(pr.Window(rnd.randint(slide - 1, 3), slide=slide))
        start = case.stream.start if rnd.random() < 0.3 else None
        self.rules = pr.TemporalRules((), start=start, feedback=rnd.random() < 0.3)
        for rule in rewritten(rnd, case.rules) if is_usable else ():
            self.join(rule, case.remembered)
        self.setup = ShardSetup(
            ontology,
            self.options,
            TimeKind.INTEGER,
            self.key,
            4,
            self.report,
            False,
            names=conclusion_columns(self.rules),
            temporal=self.rules,
            hot_keys=hot_keys if is_usable else {},
        )

    def _is_drawn(self, atom):
        return atom.is_asserted or self.rnd.random() < 0.3

    def join(self, rule, remembered):
        """Add a rule if shards can still evaluate all rules."""
        COUNTS["rules"] += 1
        rules = (*self.rules.rules, rule)
        heads = {rule.head.atom.predicate for rule in rules}
        try:
            made = pr.TemporalRules(rules, remembered & heads, self.rules.start, self.rules.feedback)
            theory = Theory.of((*self.ontology.rules, *self.ontology.constraints), unique_names=True)
            for key in self.routing.keys:
                check_key_local(with_ontology(made, theory, self.ontology.predicates), self.report, key)
            pr.StreamReasoner.with_options(self.ontology, self.options, temporal=made)
        except TemporalRuleError as error:
            COUNTS["refused"] += isinstance(error, NotKeyLocalRuleError)
            return
        self.rules = made
        COUNTS["joins"] += len(rule.body) > 1
        promised = self.report.colocated if self.key == IN else ()
        COUNTS["of promises"] += any(each.atom.predicate in promised for each in rule.body)
        COUNTS["of divided shards"] += len(self.routing.keys) > 1
