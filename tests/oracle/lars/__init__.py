"""What temporal rules conclude, by the definitions of LA17 (section 2): slow, and close to their letter.

`streams` has streams and windows, `satisfaction` what holds in them, `grounding` the instances of rules,
`strata` the order that negation asks for, `answers` the least model and all minimal ones, `output` the
conclusions at each tick, `coupling` an ontology's rules beside them. Two clarifications make an answer exist
wherever rules have strata:

- A tuple window selects from what is asserted; conclusions are not counted.
- A head at a tick outside the timeline draws nothing.

Literals are compared by value; answers have the literals of `canonical_literals`.
"""

from oracle.lars.output import output_stream
from oracle.lars.streams import Stream

__all__ = ["Stream", "output_stream"]
