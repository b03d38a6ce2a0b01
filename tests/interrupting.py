"""Interrupts at chosen moments, as a signal's handler may raise them."""

import sys


class Interrupt(BaseException):
    """What is raised."""


def interrupted(work, nth, looked_at, event="line"):
    """Do `work`, but raise before its `nth` line or opcode, whichever `event` is: whether it came to that.

    Counted are those of the code in files that are `looked_at`.
    """
    count = 0

    def traced(frame, happening, _):
        nonlocal count
        if not looked_at(frame.f_code.co_filename):
            return None
        frame.f_trace_opcodes = event == "opcode"
        if happening == event:
            count += 1
            if count == nth:
                raise Interrupt
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        work()
    except Interrupt:
        return True
    finally:
        sys.settrace(before)
    return False
