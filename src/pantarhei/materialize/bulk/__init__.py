"""Bulk materialization by column, for first loads and large ABoxes.

`columns` stores the facts of a predicate as sorted keys, `plans` matches rule bodies against them a column at
a time, `evaluation` runs to the fixpoint, and `load` hands the result to the kernel of rows, or closes many
ABoxes at once, each by itself.
"""
