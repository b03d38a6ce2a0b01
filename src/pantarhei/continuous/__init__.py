"""Continuous queries over streams: texts of stream languages, driven to their end."""

from pantarhei.continuous.register import register

__all__ = ["register"]
