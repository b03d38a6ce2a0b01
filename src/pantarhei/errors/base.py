"""The base of all errors."""

from __future__ import annotations


class PantarheiError(Exception):
    """Base of all errors raised on purpose by this package."""
