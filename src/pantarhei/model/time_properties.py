"""The properties by which streams usually state a time."""

from __future__ import annotations

from typing import Final

TIME_PROPERTIES: Final = (
    "http://www.w3.org/ns/prov#generatedAtTime",
    "http://www.w3.org/ns/sosa/resultTime",
    "https://saref.etsi.org/core/hasTimestamp",
    "https://w3id.org/saref#hasTimestamp",
)
