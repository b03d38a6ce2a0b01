"""Parser of temporal rules.

`cursor` splits a text into tokens with positions, `rule_terms` reads names, literals, comparisons and
arithmetic, `formulas` windows and formulas, `rules_text` statements.
"""
