"""The constants of the kernel, and what each means.

Python and the uncompiled kernel take them from here. The compiled kernel takes them from constants.pxd, where
the same names have the same values for the C compiler. A constant of more than 32 bits is no C `int`: it is
declared where it is used.
"""

from __future__ import annotations

from pantarhei.encoding import numbers
from pantarhei.rules.compilation import dispatch, plan

NONE = numbers.NONE  # no term, no row
FIRST_LITERAL = numbers.FIRST_LITERAL  # the lowest number of a literal; names have lower ones
FOREVER = 0x3FFFFFFF  # the level of the background, above all others

# Flags of a row. newest.py and every.py say who sets them.
PENDING = 1  # in the queue, and hidden from joins
DOOMED = 2  # overdeleted
PROCESSED = 4  # overdeleted, and what rested on it looked at
NOTED = 8  # in the list that is being collected
FINISHED = 16  # in the queue; what follows from it within its own interpretation is stored
SHAKEN = 32  # its `held` is not to be trusted
UNPROVEN = 64  # its level came with an interpretation, without a proof in the order of sequences (newest.py)
EDGE = 128  # an edge of a transitive property
ARRIVED = 256  # its fact came since the changes were last taken
TOUCHED = 512  # its set of levels may have to be found again
CAME = 1024  # counts as a fact that came, while matches with it are looked for
GONE = 2048  # the same, as one that went
GUEST = 4096  # has a row for that time alone

# By which end a chain is found. The chain of edges has EDGE as well.
SUBJECT, OBJECT = 1, 2

# Places in the code of a plan, which matcher.py describes, and the size of a step or condition there.
RULE, STEPS, CONDITIONS, HEAD, HEAD_SUBJECT, HEAD_OBJECT = range(6)
TRIGGER_SUBJECT, TRIGGER_OBJECT, TRIGGER_ATOM, FIRST_STEP = range(6, plan.HEADER + 1)
PART = plan.PART

# Kinds of steps, and of conditions.
CHECK, FORWARD, BACKWARD, WANTED = plan.CHECK, plan.FORWARD, plan.BACKWARD, plan.WANTED
DIFFERENT, IDENTICAL, INSIDE, OUTSIDE = plan.DIFFERENT, plan.IDENTICAL, plan.INSIDE, plan.OUTSIDE
HOLDS = plan.HOLDS
NAMED = plan.NAMED

# Kinds of switches: with bit SWITCH_OBJECT they look at the object, from SWITCH_SUBJECT_CLASS on at the
# classes of a term.
SWITCH_OBJECT, SWITCH_SUBJECT_CLASS = dispatch.OBJECT, dispatch.SUBJECT_CLASS

# What `weigh` answers instead of a level.
HIDDEN = -1  # the row takes no part in matches
STOP = -2  # the enumeration ends

# What a key of plans asks for (body_matches.py), a bit each; keys of a predicate may be of several kinds.
ANY_TERMS, GIVEN_SUBJECT, GIVEN_OBJECT, GIVEN_BOTH = 1, 2, 4, 8

# Which forward plans of a predicate are begun.
ALL = 0
CHOSEN = 1  # those that are chosen in `chosen`
JOINING = 2  # all but the inclusions that `superclasses` has

# Sizes of records in lists of integers.
PARTNER_SIZE = 3  # matcher.py
HEAD_SIZE = 6  # fixpoint.py
FEED_SIZE = 8  # selecting.py, as the next two
CONDITION_SIZE = 4
FOUND_SIZE = 5

# What follows from facts one by one: a place of its arguments, and kinds of conditions (selecting.py).
TIME_PLACE = 3
IN_RANGES = 0
IS_TERM = 1
IS_NAME = 2

# Heads, linked atoms and the status of asserted atoms (horn.py, decision.py).
BOTTOM = -1  # the head of a constraint
UNSEEN = -2  # an atom that is not in the forest
ROOT = -1  # the parent of a root of the forest
NEVER = 0x7FFFFFFF
IN = 1  # in every maximal consistent subset
OUT = 2  # in no maximal consistent subset
OPEN = 3  # in some of them, perhaps
CANDIDATE = 4  # in a proof of ⊥ that is not settled yet

# How far ahead of its turn something is read into the processor's cache.
AHEAD = 16  # facts
SUPERCLASSES_AHEAD = 4  # superclasses of a class fact
CELLS_IN_CACHE = 1 << 15  # a hash table with fewer cells stays in the cache, and nothing is read ahead

HEADS_AT_ONCE = 16  # so many heads are entered before the next fact is popped
MOST_HEADS = 4096  # so many heads are entered in the middle of an enumeration
PATIENCE = 64  # rows looked at for other support before a fact is doomed, which is always safe

LEAST_ROWS = 1024  # room of new rows
LEAST_LIST = 16  # room of a new list, in integers
MOST_KEPT = 1 << 16  # a list of changes with more room, in integers, is made anew

# Digits by which keys are sorted (arrays.py): the counts of a digit fit into the nearest cache.
DIGIT_BITS = 11
DIGIT_VALUES = 1 << DIGIT_BITS
DIGIT_MASK = DIGIT_VALUES - 1
