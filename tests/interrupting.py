"""Interrupts at chosen moments, as raised by signal handlers."""

import sys


class Interrupt(BaseException):
    """Exception of an interrupt."""


def interrupted(work, nth, is_traced, event="line"):
    """Run `work` and raise `Interrupt` before its `nth` line or opcode, as `event` selects; True if it was
    raised.

    Only code in the files `is_traced` is counted.
    """
    count = 0

    def traced(frame, happening, _):
        nonlocal count
        if not is_traced(frame.f_code.co_filename):
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
