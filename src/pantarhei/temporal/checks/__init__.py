"""What rules must be for their answer to be one, and to be found: form, safety, strata.

Each check raises `TemporalRuleError` with the place of what is refused.
"""
