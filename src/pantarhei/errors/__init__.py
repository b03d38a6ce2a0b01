"""Errors and warnings of the package.

    PantarheiError
    ├── InputError                 input that cannot be read
    │   ├── MissingFileError           file that does not exist or cannot be opened
    │   ├── MalformedInputError        malformed text: source, line, reason
    │   │   ├── CompressedInputError       unsupported compression
    │   │   └── InvalidCellError           table cell that does not fit the mapping
    │   ├── MappingError               malformed mapping, or one that does not fit its table
    │   ├── InvalidTripleError         not a triple of RDF terms
    │   ├── BackgroundOnlyError        stream asserts a predicate reserved for the background
    │   ├── InvalidRowError            table row that is not a timestamped triple
    │   ├── ForeignInterpretationError interpretation of another ontology or background
    │   ├── TimestampError             invalid timestamp, or not of the stream's kind
    │   │   └── ForgottenTimeError         time before the recorded history
    │   ├── MissingTimestampError      message of a stream without a time
    │   └── UnknownTopicError          topic without a mapping, in the service
    ├── OntologyError
    │   ├── InconsistentOntologyError  ontology, alone or with its background, contradicts itself
    │   ├── InvalidRuleError           rule that cannot be evaluated
    │   ├── UnsupportedAxiomError      unsupported axiom in strict loading
    │   ├── MissingImportError         `owl:imports` that no catalog entry resolves
    │   └── NotKeyLocalError           rules join facts of different shards
    ├── ContradictionError         change after which a graph would contradict itself
    ├── StreamError
    │   ├── LateABoxError              ABox older than the newest timestamp
    │   ├── FutureABoxError            ABox too far ahead
    │   ├── StreamsEndedError          streams are read a second time
    │   └── MemoryLimitError           window exceeds `max_facts` or `max_bytes`
    ├── CheckpointError            checkpoint that cannot be written, read or used
    │   ├── CheckpointMismatchError    checkpoint of another ontology or background
    │   │   └── CheckpointOptionError      checkpoint with other options or temporal rules
    │   └── CheckpointSplitError       checkpoints that cannot be split by keys or merged
    ├── OptionError                invalid value of an option
    │   ├── MissingOptionError         option that another argument requires
    │   ├── ExcludedOptionError        option without meaning beside another argument
    │   ├── QueryWindowError           window that is valid for queries only
    │   └── UnknownFormatError         format given neither by suffix nor by option
    ├── ServiceError               running service that cannot start or continue
    │   ├── ConfigError                invalid configuration: lines, keys, expected values
    │   ├── JournalError               journal that cannot be read or written
    │   ├── UpgradeError               changed configuration that the stored state does not permit
    │   ├── ConnectionFailedError      broker, database or address that cannot be reached
    │   ├── CheckFailedError           parts of a configuration that cannot be used
    │   ├── WriterUnavailableError     writer that does not answer
    │   └── RefusedError               request that the writer refuses
    ├── QueryError                 malformed or unsupported query
    │   ├── QueryTextError             syntax error, with line and column
    │   ├── NotKeyLocalQueryError      query joins facts of different shards
    │   ├── QueryTimeoutError          time limit exceeded
    │   ├── FollowerOverflowError      follower was too slow
    │   ├── QueryLengthError           text is too long
    │   └── QueryMemoryError           memory limit exceeded
    │       └── RegistrationMemoryError    registration exceeds the reasoner's memory limit
    ├── TemporalRuleError          invalid temporal rule
    │   ├── TemporalTextError          syntax error, with line and column
    │   └── NotKeyLocalRuleError       conclusions cannot be computed shard by shard
    ├── ClingoNotFoundError        clingo is not installed
    ├── MissingPackageError        another optional package is not installed
    ├── SparkError                 Spark cannot be started or reached
    │   ├── JavaNotFoundError          no suitable Java
    │   ├── MasterUnreachableError     master's address does not respond
    │   └── FileSystemError            folder or object store that cannot be used
    ├── NotEntailedError           explanation is requested for a statement that does not hold
    ├── EntailedError              missing facts are requested for a statement that holds
    ├── DeltaNotKeptError          delta of a step is not recorded
    └── ReadOnlyError              write access to a view of the materialization

All errors can be pickled: each argument is passed to `Exception.__init__`, so that an error raised on a Spark
worker is complete when the driver receives it.
"""

from __future__ import annotations

from pantarhei.errors.base import (
    AxiomsInStreamWarning,
    ExcludedOptionError,
    FileSystemError,
    JavaNotFoundError,
    MasterUnreachableError,
    MissingMemberWarning,
    MissingOptionError,
    MissingPackageError,
    NumbersApartWarning,
    OptionError,
    PantarheiError,
    QueryWindowError,
    SparkError,
    TimesCutWarning,
    UncompiledKernelWarning,
    UndecidedRepairWarning,
    UnknownFormatError,
    check_choice,
    check_type,
)
from pantarhei.errors.input_errors import (
    BackgroundOnlyError,
    CompressedInputError,
    ForeignInterpretationError,
    ForgottenTimeError,
    InputError,
    InvalidCellError,
    InvalidRowError,
    InvalidTripleError,
    MalformedInputError,
    MappingError,
    MissingFileError,
    MissingTimestampError,
    TimestampError,
)
from pantarhei.errors.ontology_errors import (
    ContradictionError,
    InconsistentOntologyError,
    InvalidRuleError,
    MissingImportError,
    NotKeyLocalError,
    OntologyError,
    UnsupportedAxiomError,
)
from pantarhei.errors.query_errors import (
    ClingoNotFoundError,
    DeltaNotKeptError,
    EntailedError,
    FollowerOverflowError,
    NotEntailedError,
    NotKeyLocalQueryError,
    NotKeyLocalRuleError,
    QueryError,
    QueryLengthError,
    QueryMemoryError,
    QueryTextError,
    QueryTimeoutError,
    ReadOnlyError,
    RegistrationMemoryError,
    TemporalRuleError,
    TemporalTextError,
)
from pantarhei.errors.service_errors import (
    CheckFailedError,
    ConfigError,
    ConnectionFailedError,
    JournalError,
    RefusedError,
    ServiceError,
    UnknownTopicError,
    UpgradeError,
    WriterUnavailableError,
)
from pantarhei.errors.stream_errors import (
    CheckpointError,
    CheckpointMismatchError,
    CheckpointOptionError,
    CheckpointSplitError,
    FutureABoxError,
    LateABoxError,
    MemoryLimitError,
    StreamError,
    StreamsEndedError,
)

__all__ = [
    "AxiomsInStreamWarning",
    "BackgroundOnlyError",
    "CheckFailedError",
    "CheckpointError",
    "CheckpointMismatchError",
    "CheckpointOptionError",
    "CheckpointSplitError",
    "ClingoNotFoundError",
    "CompressedInputError",
    "ConfigError",
    "ConnectionFailedError",
    "ContradictionError",
    "DeltaNotKeptError",
    "EntailedError",
    "ExcludedOptionError",
    "FileSystemError",
    "FollowerOverflowError",
    "ForeignInterpretationError",
    "ForgottenTimeError",
    "FutureABoxError",
    "InconsistentOntologyError",
    "InputError",
    "InvalidCellError",
    "InvalidRowError",
    "InvalidRuleError",
    "InvalidTripleError",
    "JavaNotFoundError",
    "JournalError",
    "LateABoxError",
    "MalformedInputError",
    "MappingError",
    "MasterUnreachableError",
    "MemoryLimitError",
    "MissingFileError",
    "MissingImportError",
    "MissingMemberWarning",
    "MissingOptionError",
    "MissingPackageError",
    "MissingTimestampError",
    "NotEntailedError",
    "NotKeyLocalError",
    "NotKeyLocalQueryError",
    "NotKeyLocalRuleError",
    "NumbersApartWarning",
    "OntologyError",
    "OptionError",
    "PantarheiError",
    "QueryError",
    "QueryLengthError",
    "QueryMemoryError",
    "QueryTextError",
    "QueryTimeoutError",
    "QueryWindowError",
    "ReadOnlyError",
    "RefusedError",
    "RegistrationMemoryError",
    "ServiceError",
    "SparkError",
    "StreamError",
    "StreamsEndedError",
    "TemporalRuleError",
    "TemporalTextError",
    "TimesCutWarning",
    "TimestampError",
    "UncompiledKernelWarning",
    "UndecidedRepairWarning",
    "UnknownFormatError",
    "UnknownTopicError",
    "UnsupportedAxiomError",
    "UpgradeError",
    "WriterUnavailableError",
    "check_choice",
    "check_type",
]

for _name in __all__:
    globals()[_name].__module__ = __name__  # so that tracebacks and pickles have the public name
