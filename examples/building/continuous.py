"""Ten registered queries over the building, and one question in three stream query languages.

python examples/building/continuous.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rdflib import Graph

import pantarhei as pr
from pantarhei.io import read_stream

HERE = Path(__file__).parent
STREAM = HERE / "sample.nq"
SEEN = "?who :locatedIn ?room"

# Locations of people, in the windows and at the report times of each language.
LANGUAGES = {
    "C-SPARQL": f"""
        PREFIX : <http://example.org/building#>
        REGISTER QUERY seen AS SELECT ?who ?room
        FROM STREAM <urn:building> [RANGE 1m STEP 1m]
        WHERE {{ {SEEN} }}""",
    "RSP-QL": f"""
        PREFIX : <http://example.org/building#>
        REGISTER RSTREAM <urn:seen> AS SELECT ?who ?room
        FROM NAMED WINDOW <urn:w> ON <urn:building> [RANGE PT1M STEP PT1M]
        WHERE {{ WINDOW <urn:w> {{ {SEEN} }} }}""",
    "CQELS": f"""
        PREFIX : <http://example.org/building#>
        SELECT ?who ?room WHERE {{ STREAM <urn:building> [RANGE 1m] {{ {SEEN} }} }}""",
}


def main() -> None:
    """Print the changes and the reports."""
    for line in changes():
        print(line)
    print()
    for line in in_languages():
        print(line)


def changes() -> Iterator[str]:
    """Yield the changes of ten registered queries, timestamp by timestamp."""
    ontology = pr.load_ontology("ontologies/building.ttl")
    reasoner = pr.StreamReasoner(
        ontology, pr.Window("PT1M"), background=Graph().parse(HERE / "background.ttl")
    )
    for path in sorted((HERE / "queries").glob("*.rq")):
        reasoner.register(path.read_text(), name=path.stem)
    for update in reasoner.run(read_stream(STREAM)):
        yield f"{update.at:%H:%M:%S}"
        for query in update.answers:
            change = update.answers[query]
            inserted, deleted, now = change.added.total(), change.removed.total(), sum(query.answers.values())
            yield f"  {query.name:32} {inserted:4} added  {deleted:4} removed  {now:4} answers"


def in_languages() -> Iterator[str]:
    """Yield the number of answers in each report of a text."""
    ontology = pr.load_ontology("ontologies/building.ttl")
    for language, text in LANGUAGES.items():
        query = pr.register(text, ontology, {"urn:building": STREAM})
        reports = [f"{report.at:%H:%M:%S} {report.added.total()}" for report in query.run()]
        yield f"{language:9} {', '.join(reports)}"


if __name__ == "__main__":
    main()
