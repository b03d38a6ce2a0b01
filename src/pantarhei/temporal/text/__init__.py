"""Parser of temporal rules.

`cursor` splits a text into tokens with positions. `rule_terms` parses names, literals, comparisons and
arithmetic, `formulas` windows and formulas, and `rules_text` statements.
"""
