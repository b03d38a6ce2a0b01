"""Constants of the kernel.

Python and the uncompiled kernel import them from this module. The compiled kernel takes them from
constants.pxd, which declares the same names and values for the C compiler. Constants of more than 32 bits are
not C `int`s; they are declared in the modules that use them.
"""

from __future__ import annotations

from pantarhei.encoding import numbers
from pantarhei.rules.compilation import plan
from pantarhei.rules.compilation import plan as dispatch

NONE = numbers.NONE  # no term, or no row
FIRST_LITERAL = numbers.FIRST_LITERAL  # lowest number of a literal; IRIs and blank nodes have lower numbers
FOREVER = 0x3FFFFFFF  # level of the background, above all others

# Flags of a row, set by newest.py, every.py and body_matches.py
PENDING = 1  # in the queue, and excluded from joins
OVERDELETED = 2  # overdeleted: its last derivation may be lost
PROCESSED = 4  # overdeleted, and its dependents are processed too
COLLECTED = 8  # already in the list that is being collected
CLOSED = 16  # queued; its consequences within its own interpretation are stored
UNRELIABLE = 32  # its `merged_level` may have lost its support
UNPROVEN = 64  # its level came with a merged interpretation, so no derivation precedes it (newest.py)
EDGE = 128  # an edge of a transitive property
INSERTED = 256  # inserted since `take_changes` was last called
STALE = 512  # its sets of levels must be recomputed (every.py)
DELTA_PLUS = 1024  # counts as inserted during a search for matches
DELTA_MINUS = 2048  # counts as deleted during a search for matches
TEMPORARY = 4096  # row that exists only during that search

# Argument by which a chain is found; EDGE is added for chains of edges.
SUBJECT, OBJECT = 1, 2

# Indexes in the code of a plan (matcher.py), and the size of a step or condition in it.
RULE, STEPS, CONDITIONS, HEAD, HEAD_SUBJECT, HEAD_OBJECT = range(6)
TRIGGER_SUBJECT, TRIGGER_OBJECT, TRIGGER_ATOM, FIRST_STEP = range(6, plan.HEADER_SIZE + 1)
STEP_SIZE = plan.STEP_SIZE

# Kinds of steps, and of conditions.
CHECK, FORWARD, BACKWARD, PARAMETER = plan.CHECK, plan.FORWARD, plan.BACKWARD, plan.PARAMETER
DIFFERENT, IDENTICAL, INSIDE, OUTSIDE = plan.DIFFERENT, plan.IDENTICAL, plan.INSIDE, plan.OUTSIDE
HOLDS = plan.HOLDS
NAMED = plan.NAMED

# Kinds of switches. Bit SWITCH_OBJECT selects the fact's object, otherwise its subject; kinds from
# SWITCH_SUBJECT_CLASS on test the classes of that term.
SWITCH_OBJECT, SWITCH_SUBJECT_CLASS = dispatch.OBJECT, dispatch.SUBJECT_CLASS

# Results of `Visitor.weigh` instead of a level.
HIDDEN = -1  # the row does not match
STOP = -2  # the enumeration ends

# Kinds of plan keys: the terms that a key fixes, one bit each. A predicate may have several kinds.
ANY_TERMS, GIVEN_SUBJECT, GIVEN_OBJECT, GIVEN_BOTH = 1, 2, 4, 8

# Forward plans of a predicate to start.
ALL = 0
CHOSEN = 1  # plans flagged in `chosen`
JOINING = 2  # all except the class inclusions that `Fixpoint.superclasses` evaluates

# Sizes of records in arrays of integers.
PARTNER_SIZE = 3  # matcher.py
HEAD_SIZE = 6  # fixpoint.py
PROJECTION_SIZE = 8  # fact_selection.py, as are the next two
CONDITION_SIZE = 4
SELECTED_SIZE = 5

# Projections of single facts: the argument that stands for the given time; kinds of conditions.
TIME_ARGUMENT = 3
IN_RANGES = 0
IS_TERM = 1
IS_NAME = 2

# Heads of constraints, links of the forest, and the status of asserted atoms (horn.py, decision.py).
BOTTOM = -1  # the head of a constraint
UNSEEN = -2  # parent of an atom that is not in the forest
ROOT = -1  # parent of a root of the forest, and end of a list of children
NEVER = 0x7FFFFFFF
IN = 1  # in every maximal consistent subset
OUT = 2  # in no maximal consistent subset
OPEN = 3  # in some maximal consistent subsets, perhaps
CANDIDATE = 4  # in a derivation of ⊥, not decided yet

# Prefetch distances.
PREFETCH_DISTANCE = 16  # in facts
PREFETCHED_SUPERCLASSES = 4  # in superclasses of a class fact
CELLS_IN_CACHE = 1 << 15  # a hash table with fewer cells stays in the processor's cache and is not prefetched

HEAD_BLOCK = 16  # heads buffered before they are inserted between two facts
MAX_HEADS = 4096  # heads buffered before they are inserted while matches are enumerated
MAX_SUPPORT_READS = (
    64  # rows read in a search for other support; then the fact is overdeleted, which is sound
)

MIN_ROWS = 1024  # initial capacity of the rows
MIN_LIST = 16  # initial capacity of an array, in integers
MAX_KEPT_LIST = 1 << 16  # capacity in integers above which an emptied array of changes is replaced

# Digits of the radix sort (arrays.py): the counts of a digit fit into the first-level cache.
DIGIT_BITS = 11
DIGIT_VALUES = 1 << DIGIT_BITS
DIGIT_MASK = DIGIT_VALUES - 1
