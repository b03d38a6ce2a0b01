"""Stream whose process exits during a batch.

python crashing_stream.py FOLDER POINT [queries] [SCHEME|URI]

POINT is before-output, before-letters, before-checkpoint, after-checkpoint or never.
"""

import os
import signal
import sys

from rdflib import Graph

import pantarhei as pr
from pantarhei.spark import Registration, reason_stream, session
from pantarhei.spark.driver import CheckpointFolder
from pantarhei.spark.results import FileOutput
from spark_streams import SCHEMES, uri_over
from strategies import EX

BATCH = 4  # number of the batch in which it exits
SCHEMA = "timestamp long, subject string, predicate string, object string"

# The background has a blank node, whose label differs between processes.
ONTOLOGY = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Open owl:disjointWith :Closed .
    :feeds rdfs:range :Fed ; a owl:TransitiveProperty .
    :source :feeds [ a :Tank ] .
"""

OPEN = "PREFIX : <http://example.org/> SELECT ?valve { ?valve a :Open }"
QUERIES = {
    "open": OPEN,
    "fed": "PREFIX : <http://example.org/> SELECT (COUNT(*) AS ?many) { ?tank a :Fed }",
    "closed": Registration(OPEN, pr.Window(4, slide=2, closed="right"), ("close", "non-empty"), "rstream"),
}


BATCHES = 10  # files, one a batch
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def rows_of_batch(number):
    """Valves that open and close, a chain that grows, blank nodes; each time in two batches or three."""
    valve, is_open, is_closed = EX[f"valve{number % 3}"].n3(), EX.Open.n3(), EX.Closed.n3()
    return [
        (number, valve, TYPE, is_closed if number % 2 else is_open),
        (number - 1, EX[f"valve{(number + 1) % 3}"].n3(), TYPE, is_open),
        (number, EX[f"tank{number}"].n3(), EX.feeds.n3(), EX[f"tank{number + 1}"].n3()),
        (number, "_:b", EX.feeds.n3(), EX[f"tank{number}"].n3()),
        (number - 3, valve, TYPE, is_open),  # too late, but for the first
    ]


def follow(spark, folder, where=None, **options):
    """Run the query over the files in `folder/in`, one per batch, with checkpoint and output beside them, as
    paths or as URIs of a scheme, or in the folder of a URI.
    """
    place = uri_over(spark, where, folder) if where in SCHEMES else where or folder
    files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(f"{folder}/in")
    return reason_stream(
        files,
        pr.load_ontology(Graph().parse(data=ONTOLOGY)),
        pr.Window(6, slide=2),
        allowed_lateness=1,
        checkpoint=f"{place}/a checkpoint",
        output=f"{place}/out",
        dead_letters=f"{place}/dead",
        trigger={"availableNow": True},
        **options,
    )


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(point):
    """Patch the stream so that the process exits at `point`."""
    write, save = FileOutput.write, CheckpointFolder.save

    def deliver(files, table, batch):
        of_letters = files.option == "dead_letters"
        if batch == BATCH and point == ("before-letters" if of_letters else "before-output"):
            die()
        write(files, table, batch)

    def checkpoint(folder, reasoner, note):
        if note["batch"] == BATCH and point == "before-checkpoint":
            die()
        save(folder, reasoner, note)
        if note["batch"] == BATCH:
            die()

    FileOutput.write, CheckpointFolder.save = deliver, checkpoint


if __name__ == "__main__":
    if sys.argv[2] != "never":
        die_at(sys.argv[2])
    options = {"queries": QUERIES} if "queries" in sys.argv else {}
    where = next((given for given in sys.argv[3:] if given != "queries"), None)
    follow(session("local[1]", app_name="crash"), sys.argv[1], where, **options).await_termination()
