# The kernel's constants as the C compiler knows them; what they mean is said in constants.py, whose twin this is.


cdef enum:
    NONE = -1
    FOREVER = 0x3FFFFFFF
    FIRST_LITERAL = 1 << 30

    PENDING = 1
    DOOMED = 2
    PROCESSED = 4
    NOTED = 8
    FINISHED = 16
    SHAKEN = 32
    UNPROVEN = 64
    EDGE = 128
    ARRIVED = 256
    TOUCHED = 512
    CAME = 1024
    GONE = 2048
    GUEST = 4096

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
    PART = 5

    CHECK = 0
    FORWARD = 1
    BACKWARD = 2
    WANTED = 4

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
    FEED_SIZE = 8
    CONDITION_SIZE = 4
    FOUND_SIZE = 5

    TIME_PLACE = 3
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

    AHEAD = 16
    HEADS_AT_ONCE = 16
    MOST_HEADS = 4096
    SUPERCLASSES_AHEAD = 4
    CELLS_IN_CACHE = 1 << 15
    PATIENCE = 64
    LEAST_ROWS = 1024
    LEAST_LIST = 16
    MOST_KEPT = 1 << 16

    DIGIT_BITS = 11
    DIGIT_VALUES = 1 << 11
    DIGIT_MASK = (1 << 11) - 1
