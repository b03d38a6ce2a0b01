"""Input of proof searches: what rules can match at the last of some ticks."""

from rdflib import RDF, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.model.temporal_rule import TemporalAtom

EX = Namespace("http://example.org/")
NO_AXIOMS = pr.load_ontology(Graph())


def triples(text):
    """Parse short facts: `Hot` for Hot(v), `Hot(w)`, `on(v, w)`, `on(v, 3)`.

    >>> [len(triple) for triple in triples("Hot on(v,3)")]
    [3, 3]
    """
    found = []
    for each in text.split():
        name, _, arguments = each.rstrip(")").partition("(")
        first, *second = (arguments or "v").split(",")
        ends = [Literal(int(term)) if term.isdigit() else EX[term] for term in (first, *second)]
        found.append((ends[0], EX[name], ends[1]) if second else (ends[0], RDF.type, EX[name]))
    return found


def reasoner_after(text, *pushed, ontology=NO_AXIOMS, range=0, slide=1):
    """Return a reasoner with rules, after `pushed` at the ends of ticks 0, 1 and so on."""
    rules = pr.load_rules(f"{text}\n", prefixes={"": str(EX)})
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=range, slide=slide), temporal=rules)
    for tick, facts in enumerate(pushed):
        reasoner.push(tick * slide, triples(facts))
    return reasoner


def proof_context(reasoner):
    """Return the data in which proofs are searched."""
    return reasoner._held.rule_engine.testimony(reasoner._held.model)


def a(name, *arguments):
    """Return an atom, about v unless other arguments are given."""
    return TemporalAtom(EX[name], tuple(EX[each] if type(each) is str else each for each in arguments or "v"))
