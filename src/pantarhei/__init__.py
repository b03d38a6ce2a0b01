"""Stream reasoning with OWL 2 RL: a sliding window's materialization, kept up and repaired newest-wins."""

from pantarhei.answer_streams import AnswerStreams
from pantarhei.continuous import register
from pantarhei.dynamic_graph import DynamicGraph
from pantarhei.engine.number_watch import NumbersApart
from pantarhei.engine.stats import Stats
from pantarhei.engine.unexpected import Unexpected
from pantarhei.engine.update import GraphUpdate, WindowUpdate
from pantarhei.entailment.entailment import Entailment
from pantarhei.errors import (
    AxiomsInStreamWarning,
    BackgroundOnlyError,
    CheckpointError,
    CheckpointMismatchError,
    CheckpointOptionError,
    ClingoNotFoundError,
    CompressedInputError,
    ContradictionError,
    DeltaNotKeptError,
    EntailedError,
    ForeignInterpretationError,
    ForgottenTimeError,
    FutureABoxError,
    InconsistentOntologyError,
    InputError,
    InvalidCellError,
    InvalidRowError,
    InvalidRuleError,
    InvalidTripleError,
    JavaNotFoundError,
    LateABoxError,
    MalformedInputError,
    MappingError,
    MasterUnreachableError,
    MemoryLimitError,
    MissingFileError,
    MissingImportError,
    MissingTimestampError,
    NotEntailedError,
    NotKeyLocalError,
    NotKeyLocalQueryError,
    NotKeyLocalRuleError,
    NumbersApartWarning,
    OntologyError,
    OptionError,
    PantarheiError,
    QueryError,
    QueryMemoryError,
    QueryTextError,
    QueryTimeoutError,
    QueryWindowError,
    ReadOnlyError,
    RegistrationMemoryError,
    SparkError,
    StreamError,
    StreamsEndedError,
    TemporalRuleError,
    TemporalTextError,
    TimestampError,
    UncompiledKernelWarning,
    UndecidedRepairWarning,
    UnknownFormatError,
    UnsupportedAxiomError,
)
from pantarhei.explain.absence import Absence, Gone, MissingFact, UnknownName, WouldHold
from pantarhei.explain.quality import Quality, QualityRow
from pantarhei.explain.records import HistoryRecord
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import Interpretation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.language.rule import Rule
from pantarhei.ontology import Ontology, load_ontology
from pantarhei.proofs.proof import Proof, ProofStep
from pantarhei.reasoner import StreamReasoner
from pantarhei.repair.conflict import Budget
from pantarhei.repair.contradiction import Contradiction
from pantarhei.repair.result import Conflict, ConflictList, Repair
from pantarhei.rules.sharding.sharding_report import ShardingReport
from pantarhei.streams import TimestampedABox, abox_stream, read_records, read_stream, read_table
from pantarhei.streams.history_sinks import NDJSONSink, ParquetSink
from pantarhei.temporal import TemporalRules, load_rules
from pantarhei.temporal.models.solving import AnswerStream
from pantarhei.version import __version__ as __version__
from pantarhei.window.history import History
from pantarhei.window.limits import Limits
from pantarhei.window.sliding import Window

__all__ = [
    "ABoxMaterializer",
    "Absence",
    "AnswerStream",
    "AnswerStreams",
    "AxiomsInStreamWarning",
    "BackgroundOnlyError",
    "Budget",
    "CheckpointError",
    "CheckpointMismatchError",
    "CheckpointOptionError",
    "ClingoNotFoundError",
    "CompressedInputError",
    "Conflict",
    "ConflictList",
    "Contradiction",
    "ContradictionError",
    "DeltaNotKeptError",
    "DynamicGraph",
    "EntailedError",
    "Entailment",
    "ForeignInterpretationError",
    "ForgottenTimeError",
    "Foundation",
    "FutureABoxError",
    "Gone",
    "GraphUpdate",
    "History",
    "HistoryRecord",
    "InconsistentOntologyError",
    "InputError",
    "Interpretation",
    "InvalidCellError",
    "InvalidRowError",
    "InvalidRuleError",
    "InvalidTripleError",
    "JavaNotFoundError",
    "LateABoxError",
    "Limits",
    "MalformedInputError",
    "MappingError",
    "MasterUnreachableError",
    "MemoryLimitError",
    "MissingFact",
    "MissingFileError",
    "MissingImportError",
    "MissingTimestampError",
    "NDJSONSink",
    "NotEntailedError",
    "NotKeyLocalError",
    "NotKeyLocalQueryError",
    "NotKeyLocalRuleError",
    "NumbersApart",
    "NumbersApartWarning",
    "Ontology",
    "OntologyError",
    "OptionError",
    "PantarheiError",
    "ParquetSink",
    "Proof",
    "ProofStep",
    "Quality",
    "QualityRow",
    "QueryError",
    "QueryMemoryError",
    "QueryTextError",
    "QueryTimeoutError",
    "QueryWindowError",
    "ReadOnlyError",
    "RegistrationMemoryError",
    "Repair",
    "Rule",
    "ShardingReport",
    "SparkError",
    "Stats",
    "StreamError",
    "StreamReasoner",
    "StreamsEndedError",
    "TemporalRuleError",
    "TemporalRules",
    "TemporalTextError",
    "TimestampError",
    "TimestampedABox",
    "UncompiledKernelWarning",
    "UndecidedRepairWarning",
    "Unexpected",
    "UnknownFormatError",
    "UnknownName",
    "UnsupportedAxiomError",
    "Window",
    "WindowUpdate",
    "WouldHold",
    "abox_stream",
    "load_ontology",
    "load_rules",
    "read_records",
    "read_stream",
    "read_table",
    "register",
]
