"""Stream reasoning with OWL 2 RL: the materialization of a sliding window, maintained and repaired
newest-wins.
"""

import warnings
from importlib import import_module
from typing import Any

from pantarhei.answer_streams import AnswerStreams
from pantarhei.continuous import register
from pantarhei.dynamic_graph import DynamicGraph
from pantarhei.engine.diagnostics import NumbersApart, Unexpected
from pantarhei.engine.update import GraphUpdate, Stats, WindowUpdate
from pantarhei.errors import (
    AxiomsInStreamWarning,
    BackgroundOnlyError,
    CheckFailedError,
    CheckpointError,
    CheckpointMismatchError,
    CheckpointOptionError,
    ClingoNotFoundError,
    CompressedInputError,
    ConfigError,
    ConnectionFailedError,
    ContradictionError,
    DeltaNotKeptError,
    EntailedError,
    ExcludedOptionError,
    FileSystemError,
    FollowerOverflowError,
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
    JournalError,
    LateABoxError,
    MalformedInputError,
    MappingError,
    MasterUnreachableError,
    MemoryLimitError,
    MissingFileError,
    MissingImportError,
    MissingMemberWarning,
    MissingOptionError,
    MissingPackageError,
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
    QueryLengthError,
    QueryMemoryError,
    QueryTextError,
    QueryTimeoutError,
    QueryWindowError,
    ReadOnlyError,
    RefusedError,
    RegistrationMemoryError,
    ServiceError,
    SparkError,
    StreamError,
    StreamsEndedError,
    TemporalRuleError,
    TemporalTextError,
    TimesCutWarning,
    TimestampError,
    UncompiledKernelWarning,
    UndecidedRepairWarning,
    UnknownFormatError,
    UnknownTopicError,
    UnsupportedAxiomError,
    UpgradeError,
    WriterUnavailableError,
)
from pantarhei.explain.absence import Abduction, Absence, MissingFact, RetractedAssertion
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import Interpretation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.io import Mapping, TimestampedABox, abox_stream, read_records, read_stream, read_table
from pantarhei.io.writers import NDJSONSink, ParquetSink
from pantarhei.model.rule import Rule
from pantarhei.ontology.entailment import Entailment
from pantarhei.ontology.justification import Justification
from pantarhei.ontology.ontology import Ontology, load_ontology
from pantarhei.ontology.unknown_names import UnknownName
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import ProofStep
from pantarhei.reasoner import StreamReasoner
from pantarhei.repair.conflict import Budget
from pantarhei.repair.consistency import Contradiction
from pantarhei.repair.history_records import HistoryRecord
from pantarhei.repair.quality import Quality, QualityRow
from pantarhei.repair.result import Conflict, ConflictList, Repair
from pantarhei.rules.sharding.sharding_report import ShardingReport
from pantarhei.temporal import TemporalRules, load_rules
from pantarhei.temporal.answer_sets import AnswerStream
from pantarhei.version import __version__ as __version__
from pantarhei.window.retention import History, Limits
from pantarhei.window.sliding import Window

__all__ = [
    "ABoxMaterializer",
    "Abduction",
    "Absence",
    "AnswerStream",
    "AnswerStreams",
    "AxiomsInStreamWarning",
    "BackgroundOnlyError",
    "Budget",
    "CheckFailedError",
    "CheckpointError",
    "CheckpointMismatchError",
    "CheckpointOptionError",
    "ClingoNotFoundError",
    "CompressedInputError",
    "ConfigError",
    "Conflict",
    "ConflictList",
    "ConnectionFailedError",
    "Contradiction",
    "ContradictionError",
    "DeltaNotKeptError",
    "DynamicGraph",
    "EntailedError",
    "Entailment",
    "ExcludedOptionError",
    "FileSystemError",
    "FollowerOverflowError",
    "ForeignInterpretationError",
    "ForgottenTimeError",
    "Foundation",
    "FutureABoxError",
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
    "JournalError",
    "Justification",
    "LateABoxError",
    "Limits",
    "MalformedInputError",
    "Mapping",
    "MappingError",
    "MasterUnreachableError",
    "MemoryLimitError",
    "MissingFact",
    "MissingFileError",
    "MissingImportError",
    "MissingMemberWarning",
    "MissingOptionError",
    "MissingPackageError",
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
    "QueryLengthError",
    "QueryMemoryError",
    "QueryTextError",
    "QueryTimeoutError",
    "QueryWindowError",
    "ReadOnlyError",
    "RefusedError",
    "RegistrationMemoryError",
    "Repair",
    "RetractedAssertion",
    "Rule",
    "ServiceError",
    "ShardingReport",
    "SparkError",
    "Stats",
    "StreamError",
    "StreamReasoner",
    "StreamsEndedError",
    "TemporalRuleError",
    "TemporalRules",
    "TemporalTextError",
    "TimesCutWarning",
    "TimestampError",
    "TimestampedABox",
    "UncompiledKernelWarning",
    "UndecidedRepairWarning",
    "Unexpected",
    "UnknownFormatError",
    "UnknownName",
    "UnknownTopicError",
    "UnsupportedAxiomError",
    "UpgradeError",
    "Window",
    "WindowUpdate",
    "WriterUnavailableError",
    "abox_stream",
    "load_ontology",
    "load_rules",
    "read_records",
    "read_stream",
    "read_table",
    "register",
]

# Old names of public classes with their new ones; removed in 0.3.
_RENAMED = {"Gone": "RetractedAssertion", "WouldHold": "Abduction"}


_SUBMODULES = ("spark", "temporal")
"""Modules with public names of their own; PySpark is imported when a name of `spark` is first used."""


def __dir__() -> list[str]:
    return [*__all__, *_SUBMODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = _RENAMED[name]
    warnings.warn(
        f"pantarhei.{name} is deprecated and will be removed in 0.3: use pantarhei.{new}",
        DeprecationWarning,
        stacklevel=2,
    )
    return globals()[new]
