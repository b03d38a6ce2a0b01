"""Explanations of a reasoner's window: proofs of facts, and reasons for the absence of others."""
