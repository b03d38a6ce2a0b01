"""Conclusions of temporal rules, by the definitions of LA17 (section 2), literally and slowly.

`streams` defines streams and windows, `satisfaction` the formulas that hold in them, `grounding` the
instances of rules, `strata` the strata that negation requires, `answers` the least model and all minimal
models, `output` the conclusions at each tick, `coupling` an ontology's rules beside temporal rules. Two
clarifications guarantee an answer stream for stratified rules:

- A tuple window selects assertions; conclusions are not counted.
- A head at a tick outside the timeline derives nothing.

Literals are compared by value; answers contain the literals of `canonical_literals`.
"""

from oracle.lars.output import output_stream
from oracle.lars.streams import Stream

__all__ = ["Stream", "output_stream"]
