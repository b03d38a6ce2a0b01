"""Operators of the algebra, evaluated by column."""
