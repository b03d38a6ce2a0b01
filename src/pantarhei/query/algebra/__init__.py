"""Queries as frozen values: what they mean, without how they are answered."""
