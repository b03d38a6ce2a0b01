"""Constants of the kernel.

Python and the uncompiled kernel import them from here. The compiled kernel takes them from constants.pxd,
which gives the C compiler the same names and values. Constants of more than 32 bits are not C `int`s; they
are declared where they are used.
"""

from __future__ import annotations

from pantarhei.encoding import numbers
from pantarhei.rules.compilation import plan
from pantarhei.rules.compilation import plan as dispatch

NONE = numbers.NONE  # no term, no row
FIRST_LITERAL = numbers.FIRST_LITERAL  # the lowest number of a literal; names have lower numbers
FOREVER = 0x3FFFFFFF  # the level of the background, above all others

# Flags of a row, set by newest.py and every.py
PENDING = 1  # in the queue, and hidden from joins
OVERDELETED = 2  # overdeleted
PROCESSED = 4  # overdeleted, and its dependents processed
COLLECTED = 8  # in the list being collected
CLOSED = 16  # queued, with its consequences within its own interpretation stored
UNRELIABLE = 32  # its `merged_level` is unreliable
UNPROVEN = 64  # its level came with an interpretation, without a proof in the order of sequences (newest.py)
EDGE = 128  # an edge of a transitive property
INSERTED = 256  # inserted since the changes were last taken
STALE = 512  # its set of levels may be out of date
DELTA_PLUS = 1024  # counts as inserted during a search for matches
DELTA_MINUS = 2048  # counts as deleted during a search for matches
TEMPORARY = 4096  # a temporary row for that search

# End by which a chain is found; chains of edges have EDGE added.
SUBJECT, OBJECT = 1, 2

# Indexes in the code of a plan (matcher.py), and the size of a step or condition there.
RULE, STEPS, CONDITIONS, HEAD, HEAD_SUBJECT, HEAD_OBJECT = range(6)
TRIGGER_SUBJECT, TRIGGER_OBJECT, TRIGGER_ATOM, FIRST_STEP = range(6, plan.HEADER_SIZE + 1)
STEP_SIZE = plan.STEP_SIZE

# Kinds of steps, and of conditions.
CHECK, FORWARD, BACKWARD, PARAMETER = plan.CHECK, plan.FORWARD, plan.BACKWARD, plan.PARAMETER
DIFFERENT, IDENTICAL, INSIDE, OUTSIDE = plan.DIFFERENT, plan.IDENTICAL, plan.INSIDE, plan.OUTSIDE
HOLDS = plan.HOLDS
NAMED = plan.NAMED

# Kinds of switches: bit SWITCH_OBJECT selects the object; from SWITCH_SUBJECT_CLASS on they test classes
# of a term.
SWITCH_OBJECT, SWITCH_SUBJECT_CLASS = dispatch.OBJECT, dispatch.SUBJECT_CLASS

# Results of `weigh` instead of a level.
HIDDEN = -1  # the row takes no part in matches
STOP = -2  # the enumeration ends

# What a key of plans asks for (body_matches.py), a bit each; keys of a predicate may be of several kinds.
ANY_TERMS, GIVEN_SUBJECT, GIVEN_OBJECT, GIVEN_BOTH = 1, 2, 4, 8

# Forward plans of a predicate to start.
ALL = 0
CHOSEN = 1  # plans flagged in `chosen`
JOINING = 2  # all but the inclusions covered by `superclasses`

# Sizes of records in lists of integers.
PARTNER_SIZE = 3  # matcher.py
HEAD_SIZE = 6  # fixpoint.py
PROJECTION_SIZE = 8  # selecting.py, as the next two
CONDITION_SIZE = 4
SELECTED_SIZE = 5

# What follows from facts one by one: a place of its arguments, and kinds of conditions (selecting.py).
TIME_ARGUMENT = 3
IN_RANGES = 0
IS_TERM = 1
IS_NAME = 2

# Heads, linked atoms and the status of asserted atoms (horn.py, decision.py).
BOTTOM = -1  # the head of a constraint
UNSEEN = -2  # an atom outside the forest
ROOT = -1  # the parent of a root of the forest
NEVER = 0x7FFFFFFF
IN = 1  # in every maximal consistent subset
OUT = 2  # in no maximal consistent subset
OPEN = 3  # perhaps in some of them
CANDIDATE = 4  # in a proof of ⊥ that is not decided yet

# Prefetch distances.
PREFETCH_DISTANCE = 16  # facts
PREFETCHED_SUPERCLASSES = 4  # superclasses of a class fact
CELLS_IN_CACHE = 1 << 15  # a hash table with fewer cells stays in the cache and is not prefetched

HEAD_BLOCK = 16  # heads collected before they are inserted between facts
MAX_HEADS = 4096  # heads collected before they are inserted in the middle of an enumeration
MAX_SUPPORT_READS = 64  # rows read in search of other support before a fact is doomed, which is always safe

MIN_ROWS = 1024  # initial room for rows
MIN_LIST = 16  # initial room of a list, in integers
MAX_KEPT_LIST = 1 << 16  # lists of changes with more room, in integers, are reallocated

# Digits of the radix sort (arrays.py): the counts of a digit fit into the first-level cache.
DIGIT_BITS = 11
DIGIT_VALUES = 1 << DIGIT_BITS
DIGIT_MASK = DIGIT_VALUES - 1
