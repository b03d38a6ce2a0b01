"""Graphs as relations of numbered terms: facts of the window, or of any rdflib graph."""
