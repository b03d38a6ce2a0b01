"""What the help of the command line says of its commands.

Help texts are wrapped by the terminal: a paragraph is one line.
"""

ABOUT = (
    "Reason over streams with an OWL 2 RL ontology.\n\n"
    "A window slides over a stream of timestamped facts. What follows from them is kept up to date as it "
    "slides, and contradictions are repaired as they arrive: new is better than old.\n\n"
    "Look at an ontology with [bold]pantarhei check[/bold], then [bold]pantarhei run[/bold]; in a source "
    "checkout begin with [bold]pantarhei demo[/bold]."
)
RUN = (
    "Follow a stream: keep a window's materialization, repair it, and answer a query after every ABox, or "
    "when a text in C-SPARQL, RSP-QL or CQELS says. Or have temporal rules look back over it (--rules).\n\n"
    "Each graph of the stream is an ABox with a time. It is repaired on arrival: of facts that contradict "
    "one another the newest stay. What has left the window is forgotten, with all that followed from it."
)
RUN_EXAMPLES = (
    "[bold]Examples[/bold]\n\n"
    "pantarhei run --ontology ontologies/pedals.ttl --stream examples/pedals/stream.trig --range 2 "
    "--query examples/pedals/query.rq\n\n"
    "producer | pantarhei run --ontology O.ttl --stream - --stream-format nquads --range PT5M --slide PT1M "
    "--query Q.rq --output answers.ndjson\n\n"
    "pantarhei run --ontology O.ttl --stream S.nq --emit changes --query 'SELECT ?x FROM STREAM <urn:s> "
    "\\[RANGE 10s STEP 1s] { ?x a ?c }'\n\n"
    "pantarhei run --ontology ontologies/reactor.ttl --stream examples/reactor/shift.trig --range PT1M "
    "--slide PT30S --rules examples/reactor/alarms.lars\n\n"
    "pantarhei run --spark 'local\\[*]' --ontology O.ttl --stream 'readings/*.nq' --range PT5M --query Q.rq"
)
EXPLAIN = (
    "Explain why a triple holds at a time of a stream: what it follows from, down to assertions with their "
    "times, the background, and the axioms in the ontology's file; with --rules, of a conclusion of temporal "
    "rules, at which ticks what was so. With --why-not, why it does not hold: "
    "what is missing, and what became of it.\n\n"
    "An axiom is explained from the ontology and the background, and so is a triple without --stream. The "
    "stream is followed as [bold]pantarhei run[/bold] does with the same options, until --at. The exit "
    "code is 1 if the triple does not hold then, or with --why-not if it does."
)
EXPLAIN_EXAMPLES = (
    "[bold]Examples[/bold]\n\n"
    "pantarhei explain --ontology ontologies/pedals.ttl --stream examples/pedals/stream.trig --range 2 "
    "':alex a :HaltingDriver'\n\n"
    "pantarhei explain --ontology O.ttl ':Sub rdfs:subClassOf :Animal'\n\n"
    "pantarhei explain --ontology O.ttl --stream S.nq --range PT5M --at 2026-03-02T07:54:00Z "
    "-o why.svg ':room-4 a :Occupied'\n\n"
    "pantarhei explain --ontology ontologies/reactor.ttl --stream examples/reactor/shift.trig --range PT1M "
    "--slide PT30S --rules examples/reactor/alarms.lars --at 2026-03-02T14:07:00Z ':vessel a :callOut'"
)
TIMELINE = (
    "Draw a stream as an SVG picture: how the window moves over the timestamps, and what repairs took out of "
    "it when, with what it contradicted.\n\n"
    "The stream is followed as [bold]pantarhei run[/bold] does with the same options. The last 60 steps are "
    "drawn, or the last of those between --from and --until."
)
TIMELINE_EXAMPLES = (
    "[bold]Example[/bold]\n\n"
    "pantarhei timeline --ontology ontologies/pedals.ttl --stream examples/pedals/stream.trig --range 2 -o "
    "timeline.svg"
)
MAP = (
    "Look at the first rows of a table and write a mapping to begin with: which column has the time and how "
    "it is written, which one names things, and which have numbers, with their units.\n\n"
    "The mapping goes to standard output, with comments on what was guessed. Look at each line, give it to "
    "[bold]pantarhei run --mapping[/bold], and use the names of your ontology in it."
)
MAP_EXAMPLES = "[bold]Example[/bold]\n\npantarhei map readings.csv > readings.yaml"
DEMO = (
    "Show windows at work on three streams that contradict themselves.\n\n"
    "Run it in a source checkout, whose ontologies and examples it reads."
)
CHECK = (
    "Load an ontology and say what becomes of its axioms: rules, constraints, background, or why not. With "
    "--rules, read temporal rules and say in which strata they are, what is remembered, and how far their "
    "windows reach back.\n\n"
    "A summary comes first: how many axioms became what, what is lost and for which reasons, what can have "
    "no instance, which names are one, what is outside OWL 2 DL, and a contradiction for which "
    "[bold]run[/bold] would refuse it. The exit code is 1 for an ontology that "
    "cannot be used, and with --strict for one that loses something; and for rules that are refused."
)
CHECK_EXAMPLES = (
    "[bold]Examples[/bold]\n\n"
    "pantarhei check ontologies/pedals.ttl --details --depth 3\n\n"
    "pantarhei check ontologies/reactor.ttl --rules examples/reactor/alarms.lars --range PT1M --slide PT30S"
)
