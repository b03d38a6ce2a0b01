"""Stream reasoning with OWL 2 RL: a sliding window's materialization, kept up and repaired newest-wins."""

from pantarhei.errors import (
    CheckpointError,
    CheckpointMismatchError,
    InconsistentOntologyError,
    InputError,
    InvalidRuleError,
    InvalidTripleError,
    LateABoxError,
    MalformedInputError,
    MissingImportError,
    MissingTimestampError,
    OntologyError,
    OptionError,
    PantarheiError,
    QueryError,
    ReadOnlyError,
    StreamError,
    TimestampError,
    UncompiledKernelWarning,
    UnsupportedAxiomError,
)
from pantarhei.language.rule import Rule
from pantarhei.ontology import Ontology, load_ontology
from pantarhei.reasoner import StreamReasoner, WindowUpdate
from pantarhei.repair.conflict import Budget
from pantarhei.repair.result import Conflict, Repair
from pantarhei.streams import TimestampedABox, abox_stream, read_stream
from pantarhei.window.sliding import Window

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "CheckpointError",
    "CheckpointMismatchError",
    "Conflict",
    "InconsistentOntologyError",
    "InputError",
    "InvalidRuleError",
    "InvalidTripleError",
    "LateABoxError",
    "MalformedInputError",
    "MissingImportError",
    "MissingTimestampError",
    "Ontology",
    "OntologyError",
    "OptionError",
    "PantarheiError",
    "QueryError",
    "ReadOnlyError",
    "Repair",
    "Rule",
    "StreamError",
    "StreamReasoner",
    "TimestampError",
    "TimestampedABox",
    "UncompiledKernelWarning",
    "UnsupportedAxiomError",
    "Window",
    "WindowUpdate",
    "abox_stream",
    "load_ontology",
    "read_stream",
]
