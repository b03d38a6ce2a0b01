"""From the text of temporal rules to rules.

`cursor` has the tokens and their places, `terms` names and literals, `computations` comparisons and
arithmetic, `formulas` windows and what stands in them, `reading` the statements.
"""
