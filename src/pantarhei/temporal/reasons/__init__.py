"""Proofs of conclusions of temporal rules, searched on request in the data stream."""
