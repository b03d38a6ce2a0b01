"""The ontology side: RDF in, axioms in normal form and the report of what became of them out."""

from pantarhei.owl.axiom_mapping import Reading, read_axioms
from pantarhei.owl.document import FORMATS, read_graph
from pantarhei.owl.imports import DocumentSet, Imports, read_with_imports
from pantarhei.owl.leftover import Leftover
from pantarhei.owl.normal_form import PASSES, normalize
from pantarhei.owl.report import AxiomOutcome, Report, ReportEntry

__all__ = [
    "FORMATS",
    "PASSES",
    "AxiomOutcome",
    "DocumentSet",
    "Imports",
    "Leftover",
    "Reading",
    "Report",
    "ReportEntry",
    "normalize",
    "read_axioms",
    "read_graph",
    "read_with_imports",
]
