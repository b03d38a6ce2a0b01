# Constants of the kernel for the C compiler, with the same names and values as in constants.py.


cdef enum:
    NONE = -1
    FOREVER = 0x3FFFFFFF
    FIRST_LITERAL = 1 << 30

    PENDING = 1
    OVERDELETED = 2
    PROCESSED = 4
    COLLECTED = 8
    CLOSED = 16
    UNRELIABLE = 32
    UNPROVEN = 64
    EDGE = 128
    INSERTED = 256
    STALE = 512
    DELTA_PLUS = 1024
    DELTA_MINUS = 2048
    TEMPORARY = 4096

    SUBJECT = 1
    OBJECT = 2

    RULE = 0
    STEPS = 1
    CONDITIONS = 2
    HEAD = 3
    HEAD_SUBJECT = 4
    HEAD_OBJECT = 5
    TRIGGER_SUBJECT = 6
    TRIGGER_OBJECT = 7
    TRIGGER_ATOM = 8
    FIRST_STEP = 9
    STEP_SIZE = 5

    CHECK = 0
    FORWARD = 1
    BACKWARD = 2
    PARAMETER = 4

    DIFFERENT = 0
    IDENTICAL = 1
    INSIDE = 2
    OUTSIDE = 3
    HOLDS = 4
    NAMED = 6

    SWITCH_OBJECT = 1
    SWITCH_SUBJECT_CLASS = 2

    ANY_TERMS = 1
    GIVEN_SUBJECT = 2
    GIVEN_OBJECT = 4
    GIVEN_BOTH = 8

    HIDDEN = -1
    STOP = -2

    ALL = 0
    CHOSEN = 1
    JOINING = 2

    PARTNER_SIZE = 3
    HEAD_SIZE = 6
    PROJECTION_SIZE = 8
    CONDITION_SIZE = 4
    SELECTED_SIZE = 5

    TIME_ARGUMENT = 3
    IN_RANGES = 0
    IS_TERM = 1
    IS_NAME = 2

    BOTTOM = -1
    UNSEEN = -2
    ROOT = -1
    NEVER = 0x7FFFFFFF
    IN = 1
    OUT = 2
    OPEN = 3
    CANDIDATE = 4

    PREFETCH_DISTANCE = 16
    HEAD_BLOCK = 16
    MAX_HEADS = 4096
    PREFETCHED_SUPERCLASSES = 4
    CELLS_IN_CACHE = 1 << 15
    MAX_SUPPORT_READS = 64
    MIN_ROWS = 1024
    MIN_LIST = 16
    MAX_KEPT_LIST = 1 << 16

    DIGIT_BITS = 11
    DIGIT_VALUES = 1 << 11
    DIGIT_MASK = (1 << 11) - 1
