"""Values of literals, their datatypes, data ranges and scalar functions."""
