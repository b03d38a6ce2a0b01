"""Continuous queries over streams, written in stream query languages."""

from pantarhei.continuous.register import register

__all__ = ["register"]
