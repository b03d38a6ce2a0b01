"""Every error this package raises on purpose.

    PantarheiError
    ├── InputError                 something given could not be read
    │   ├── MissingFileError           a file that is not there, or cannot be opened
    │   ├── MalformedInputError        not the syntax it claims to be: source, line, reason
    │   │   ├── CompressedInputError       compressed, where text is read
    │   │   └── InvalidCellError           a cell of a table that is not what its mapping says
    │   ├── MappingError               a mapping that cannot be read, or does not fit its table
    │   ├── InvalidTripleError         not a triple of RDF terms
    │   ├── BackgroundOnlyError        a stream asserts what only the background may
    │   ├── InvalidRowError            a row of a table that is no timestamped triple
    │   ├── ForeignInterpretationError an interpretation made with another ontology or background
    │   ├── TimestampError             not a timestamp, or of another kind than the stream's
    │   │   └── ForgottenTimeError         a time outside window and history
    │   └── MissingTimestampError      a graph of a stream without a time
    ├── OntologyError
    │   ├── InconsistentOntologyError  the ontology contradicts itself or the background
    │   ├── InvalidRuleError           a rule that cannot be evaluated
    │   ├── UnsupportedAxiomError      an axiom would be lost, and `strict` was asked for
    │   ├── MissingImportError         an `owl:imports` that no catalog entry resolves
    │   └── NotKeyLocalError           rules join facts of different shards
    ├── ContradictionError         a change by which a graph would contradict itself
    ├── StreamError
    │   ├── LateABoxError              an ABox older than the newest one
    │   ├── FutureABoxError            an ABox too far ahead
    │   ├── StreamsEndedError          streams that have been read, and are to be read again
    │   └── MemoryLimitError           a window larger than `max_facts` or `max_bytes` allows
    ├── CheckpointError            a checkpoint that cannot be written, read or used
    │   └── CheckpointMismatchError    one of another ontology or background
    │       └── CheckpointOptionError      one of other options or temporal rules
    ├── OptionError                an option's value is not one of those it can have
    │   ├── QueryWindowError           a window that a query may have, and a reasoner may not
    │   └── UnknownFormatError         neither a file's name nor an option tells its format
    ├── QueryError                 a query that is malformed or refused
    │   ├── QueryTextError             its text cannot be read on, with line and column
    │   ├── NotKeyLocalQueryError      it joins facts of different shards
    │   ├── QueryTimeoutError          it took longer than its `timeout`
    │   ├── FollowerOverflowError      a follower was too slow
    │   ├── QueryLengthError           its text is too long
    │   └── QueryMemoryError           it needs more than its `max_bytes`
    │       └── RegistrationMemoryError    registered, more would be held than the reasoner may hold
    ├── TemporalRuleError          a temporal rule that is refused
    │   ├── TemporalTextError          the text of temporal rules cannot be read on, with line and column
    │   └── NotKeyLocalRuleError       Spark would conclude otherwise than one reasoner
    ├── ClingoNotFoundError        answer streams without clingo
    ├── SparkError                 Spark cannot be started or reached
    │   ├── JavaNotFoundError          no Java that Spark can run on
    │   └── MasterUnreachableError     no cluster answers at the master's address
    ├── NotEntailedError           a proof is asked for of what does not hold
    ├── EntailedError              what is missing is asked for of what holds
    ├── DeltaNotKeptError          what a step changed is asked for where not all is derived
    └── ReadOnlyError              an attempt to write to a view of the materialization

All of them pickle: every argument reaches `Exception.__init__`, so that one raised on a Spark worker comes
back whole.
"""

from __future__ import annotations

from pantarhei.errors.base import (
    JavaNotFoundError,
    MasterUnreachableError,
    OptionError,
    PantarheiError,
    QueryWindowError,
    SparkError,
    UnknownFormatError,
    check_choice,
    check_type,
)
from pantarhei.errors.input import (
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
from pantarhei.errors.ontology import (
    ContradictionError,
    InconsistentOntologyError,
    InvalidRuleError,
    MissingImportError,
    NotKeyLocalError,
    OntologyError,
    UnsupportedAxiomError,
)
from pantarhei.errors.queries import (
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
from pantarhei.errors.stream import (
    CheckpointError,
    CheckpointMismatchError,
    CheckpointOptionError,
    FutureABoxError,
    LateABoxError,
    MemoryLimitError,
    StreamError,
    StreamsEndedError,
)
from pantarhei.errors.warnings import (
    AxiomsInStreamWarning,
    MissingMemberWarning,
    NumbersApartWarning,
    TimesCutWarning,
    UncompiledKernelWarning,
    UndecidedRepairWarning,
)

__all__ = [
    "AxiomsInStreamWarning",
    "BackgroundOnlyError",
    "CheckpointError",
    "CheckpointMismatchError",
    "CheckpointOptionError",
    "ClingoNotFoundError",
    "CompressedInputError",
    "ContradictionError",
    "DeltaNotKeptError",
    "EntailedError",
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
    "LateABoxError",
    "MalformedInputError",
    "MappingError",
    "MasterUnreachableError",
    "MemoryLimitError",
    "MissingFileError",
    "MissingImportError",
    "MissingMemberWarning",
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
    "RegistrationMemoryError",
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
    "UnsupportedAxiomError",
    "check_choice",
    "check_type",
]

for _name in __all__:
    globals()[_name].__module__ = __name__  # so tracebacks and pickles call them what people import
