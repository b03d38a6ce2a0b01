"""Values of all public classes, small or large, as cells of a notebook end with them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

import pyarrow as pa
from rdflib import RDF, Graph, Literal, Namespace, URIRef

import pantarhei as pr

EX = Namespace("http://example.org/plant#")
START = datetime(2026, 3, 1, 8, tzinfo=UTC)
HOSTILE = "<script>alert('x')</script> & \"quotes\" \x1b[31m"

ONTOLOGY = """
@prefix : <http://example.org/plant#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Machine a owl:Class . :Cold rdfs:subClassOf :Machine .
:Hot rdfs:subClassOf :Machine ; owl:disjointWith :Cold .
:Neither rdfs:subClassOf :Hot, :Cold .
:Hot rdfs:label "<b>hot</b> & dry"@en . :Cold rdfs:label "wet" . :Machine rdfs:label "wet" .
:level a owl:DatatypeProperty, owl:FunctionalProperty . :feeds a owl:ObjectProperty ; rdfs:range :Machine .
:Alarm rdfs:subClassOf [ a owl:Class ; owl:unionOf ( :Hot :Cold ) ] .
"""
RULES = f"""
@prefix : <{EX}> .
alarm(X) :- :Hot(X).
cools(X) :- :Cold(X), not :Hot(X) in [2s].
"""


def at(step: int) -> datetime:
    return START + timedelta(seconds=step)


def machine(number: int) -> URIRef:
    return EX[f"machine-{number}"]


@cache
def public_values(size: int = 12) -> dict[str, object]:
    """A value of each public class; collections have about `size` members."""
    ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY + "".join(
        f":Type{number} rdfs:subClassOf :Machine ; rdfs:label {Literal(HOSTILE).n3()} . "
        f":Lost{number} rdfs:subClassOf [ a owl:Class ; owl:unionOf ( :Hot :Cold ) ] . "
        for number in range(size)
    )))  # fmt: skip
    values: dict[str, object] = {}
    rules = pr.load_rules(
        RULES + "".join(f"a{number}(X) :- :Hot(X), feeds(X, Y). " for number in range(size))
    )
    history = pr.History(steps=size)
    reasoner = pr.StreamReasoner(ontology, pr.Window(range="PT30S"), temporal=rules, history=history)
    query = reasoner.register(f"SELECT ?machine ?level {{ ?machine <{EX.level}> ?level }}", name="levels")
    first = [(machine(number), RDF.type, EX.Hot) for number in range(size)]
    first += [(machine(number), EX.level, Literal(number)) for number in range(size)]
    first += [(machine(0), EX.feeds, EX[f"a&b'{number}"]) for number in range(size)]
    reasoner.push(at(0), first)
    second = [(machine(number), RDF.type, EX.Cold) for number in range(size // 2)]
    second += [(machine(number), EX.level, Literal(HOSTILE + str(number))) for number in range(size // 2)]
    update = reasoner.push(at(1), [*second, (EX.x, EX.unknown, EX.y)])
    values |= {"ontology": ontology, "report": ontology.report(), "schema": ontology.schema}
    values["entailment"] = ontology.explain(
        [(EX.Hot, URIRef("http://www.w3.org/2000/01/rdf-schema#subClassOf"), EX.Machine)]
    )
    values["justification"] = values["entailment"].justifications[0]
    values["loss"] = ontology.report().losses[0]
    values["losses"] = ontology.report().losses_by_reason()[0]
    values["normal form"] = ontology.inconsistency_normal_form()
    values["sharding report"] = ontology.sharding_report()
    values["foundation"] = reasoner.foundation
    values["rule"] = ontology.rules[0]
    values |= {"rules": rules, "reasoner": reasoner, "window": reasoner.window, "update": update}
    values |= {"repair": update.repair, "conflicts": update.repair.conflicts}
    values["conflict"] = update.repair.conflicts[0]
    values |= {
        "delta": update.delta,
        "assertions": update.assertions,
        "conclusions": reasoner.conclusions(),
        "changes": update.conclusions,
    }
    values["turn"] = update.conclusions.turns[0]
    values |= {"query": query, "answers": query.answers, "answer changes": update.answers}
    change = update.answers[query]
    values |= {"answer change": change, "reports": change.reports, "answer report": change.reports[0]}
    values["query stats"] = query.stats()
    values |= {"stats": reasoner.stats(), "quality": reasoner.quality()}
    values["quality row"] = reasoner.quality().entities[0]
    values["unexpected"] = reasoner.unexpected()
    values["unknown name"] = reasoner.unexpected().unknown[0] if reasoner.unexpected().unknown else None
    values["result"] = reasoner.query(f"SELECT ?m ?t ?l {{ ?m a ?t OPTIONAL {{ ?m <{EX.level}> ?l }} }}")
    values["constructed"] = reasoner.query("CONSTRUCT { ?m a ?t } { ?m a ?t }")
    values["asked"] = reasoner.query("ASK { ?m a ?t }")
    proof = reasoner.explain((machine(1), RDF.type, EX.Machine))
    values |= {"proof": proof, "proof step": proof.steps[-1]}
    absence = reasoner.why_not((machine(1), RDF.type, EX.Hot))
    values |= {"absence": absence, "retracted assertion": absence.gone[0]}
    missing = reasoner.why_not((EX.other, RDF.type, EX.Machine))
    values |= {"missing": missing, "abduction": (missing.ways or missing.beyond)[0]}
    values["missing fact"] = (missing.ways or missing.beyond)[0].missing[0]
    values |= _of_spark(first)
    values |= _of_history(reasoner) | _of_graph(ontology, first, second) | _of_aboxes(reasoner, first)
    return values


def _of_history(reasoner):
    records = []
    reasoner = pr.StreamReasoner(
        reasoner.ontology, pr.Window(range=1), history=pr.History(sink=records.extend)
    )
    reasoner.push(1, [(EX.x, RDF.type, EX.Hot)])
    reasoner.push(2, [(EX.x, RDF.type, EX.Cold)])
    reasoner.advance(9)
    reasoner.flush_history()
    return {"history record": records[0], "conflict record": records[0].conflicts[0]}


def _of_graph(ontology, first, second):
    graph = pr.DynamicGraph(ontology, on_conflict="report")
    graph.register("SELECT ?m { ?m a ?t }")
    update = graph.change(insert=[*first, *second])
    return {
        "graph": graph, "graph update": update, "contradiction": update.conflicts[0], "work": graph.work,
        "contradictions": update.conflicts,
    }  # fmt: skip


def _of_aboxes(reasoner, triples):
    materializer = pr.ABoxMaterializer(reasoner.foundation)
    return {
        "materializer": materializer,
        "interpretation": materializer.materialize(triples),
        "abox": pr.TimestampedABox(at(0), triples),
        "history": pr.History(steps=5),
        "limits": pr.Limits(max_facts=7),
        "budget": pr.Budget(),
        "ndjson": pr.NDJSONSink("history.ndjson"),
        "parquet": pr.ParquetSink("history"),
    }


def _of_spark(triples):
    from pantarhei.spark import BatchReport, Counts, LateABox, QueryProgress

    counts = Counts(aboxes=1000, assertions=10**9, late=7)
    columns = zip(*triples, strict=True)
    table = pa.table(dict(zip(("subject", "predicate", "object"), map(list, columns), strict=True)))
    return {
        "batch report": BatchReport(7, at(0), aboxes=10, assertions=1000, late=7, facts=10**6),
        "counts": counts,
        "late abox": LateABox(at(0), table),
        "progress": QueryProgress("running", 7, 1000, 1.5, at(1), counts),
    }
