"""Explanations by their definitions: supports, proofs, and reasons for absence.

`supports` computes the minimal sets of assertions that entail a conclusion, and those among which an
explanation must choose; `proofs` checks a proof step by step; `shortest` computes the minimum number of rule
instances of a proof; `reasons` computes the minimal sets of triples with which an absent triple would follow.
All enumerate.

A conclusion is a triple, or None for ⊥.
"""
