"""From the text of temporal rules to rules.

`cursor` has the tokens and their places, `terms` names and literals, `computations` comparisons and
arithmetic, `windows` and `formulas` what is said of atoms, `reading` the statements; `solving` turns
equations round. `writing` goes the other way: how names are written, so that they read back.
"""
