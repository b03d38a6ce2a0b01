"""XML documents that declare entities out of entities."""

from __future__ import annotations


def refuse_entity_expansion(content: bytes, source: str) -> None:
    """Refuse XML whose entities refer to entities."""
