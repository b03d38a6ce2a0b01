"""What rules see at the last of some ticks, for tests of the reasons that are found in it."""

from rdflib import RDF, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.model.temporal_rule import TemporalAtom

EX = Namespace("http://example.org/")
NO_AXIOMS = pr.load_ontology(Graph())


def triples(text):
    """What is said in short: `Hot` of v, `Hot(w)`, `on(v, w)`, `on(v, 3)`.

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
    """A reasoner with rules, which has been told `pushed` at the ends of ticks 0, 1 and so on."""
    rules = pr.load_rules(f"{text}\n", prefixes={"": str(EX)})
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=range, slide=slide), temporal=rules)
    for tick, said in enumerate(pushed):
        reasoner.push(tick * slide, triples(said))
    return reasoner


def what_is_seen(reasoner):
    """All that reasons are found in."""
    return reasoner._held.concluding.testimony(reasoner._held.model)


def a(name, *arguments):
    """An atom, of v where nothing else is said."""
    return TemporalAtom(EX[name], tuple(EX[each] if type(each) is str else each for each in arguments or "v"))
