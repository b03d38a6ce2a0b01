"""Stream whose process exits during a batch.

python crashing_stream.py FOLDER before-output|before-checkpoint|after-checkpoint [queries] [SCHEME]
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


def follow(spark, folder, scheme=None, **options):
    """Run the query over the files in `folder/in`, one per batch, with checkpoint and output beside them, as
    paths or as URIs of a scheme.
    """
    place = folder if scheme is None else uri_over(spark, scheme, folder)
    files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(f"{folder}/in")
    return reason_stream(
        files,
        pr.load_ontology(Graph().parse(data=ONTOLOGY)),
        pr.Window(6, slide=2),
        allowed_lateness=1,
        checkpoint=f"{place}/a checkpoint",
        output=f"{place}/out",
        trigger={"availableNow": True},
        **options,
    )


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(point):
    """Patch the stream so that the process exits at `point`."""
    write, save = FileOutput.write, CheckpointFolder.save

    def deliver(files, table, batch):
        if batch == BATCH and point == "before-output":
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
    die_at(sys.argv[2])
    options = {"queries": QUERIES} if "queries" in sys.argv else {}
    scheme = next((scheme for scheme in SCHEMES if scheme in sys.argv[3:]), None)
    follow(session("local[1]", app_name="crash"), sys.argv[1], scheme, **options).await_termination()
