"""Explanations by their definitions: what a conclusion rests on, what a proof of it is, why it is absent.

`supports` has the minimal sets of assertions that entail a conclusion, and those among which an explanation
has to choose; `proofs` accepts a proof step by step; `shortest` counts the rule instances that a proof needs
at least; `absence` has the minimal sets of triples with which what is absent would follow. All by
enumeration.

A conclusion is a triple, or None for ⊥.
"""
