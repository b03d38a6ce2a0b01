"""Texts of C-SPARQL, RSP-QL and CQELS in, registrations of continuous queries out."""

from pantarhei.query.languages.reading import read_registration
from pantarhei.query.languages.registration import Registration

__all__ = ["Registration", "read_registration"]
