"""Formulas of conditions say of a value what logic says."""
