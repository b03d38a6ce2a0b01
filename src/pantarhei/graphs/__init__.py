"""Algorithms on directed graphs that several rooms need."""
