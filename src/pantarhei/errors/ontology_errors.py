"""Errors of ontologies and of assertions that contradict them."""

from __future__ import annotations

from collections.abc import Sequence

from pantarhei.errors.base import PantarheiError, number_left_out

_MOST_SHOWN = 10


class OntologyError(PantarheiError):
    """An ontology cannot be used as it is."""


class InconsistentOntologyError(OntologyError):
    """The ontology, alone or with its background, contradicts itself.

    Args:
        contradictions: the contradictions, at least one and at most a thousand, each a `Contradiction` with
            its constraints and a proof; its text is one sentence.
        unlisted: a text on further contradictions; None if all are listed.
        remedy: an alternative to correcting the ontology or the background, as text.
    """

    def __init__(
        self, contradictions: Sequence[object], unlisted: str | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(tuple(contradictions), unlisted, remedy)
        self.contradictions, self.unlisted, self.remedy = tuple(contradictions), unlisted, remedy

    def __str__(self) -> str:
        remedy = "" if self.remedy is None else f"; or {self.remedy}"
        return (
            f"the ontology is inconsistent{self._listed()}\n"
            f"repair the ontology or the background; only streamed ABoxes are repaired{remedy}"
        )

    def _listed(self) -> str:
        """Return the contradictions, one on each line if there are several."""
        found = self.contradictions
        if len(found) == 1 and self.unlisted is None:
            return f": {found[0]}"
        lines = [f"{number}. {each}" for number, each in enumerate(found[:_MOST_SHOWN], 1)]
        unlisted = 0 if self.unlisted is None else number_left_out(self.unlisted)
        if (more := max(len(found) - _MOST_SHOWN, 0) + unlisted) > 0:
            lines.append(f"and {more:,} more")
        is_counted = self.unlisted is None or unlisted > 0
        lines += [] if is_counted else [str(self.unlisted)]
        count = f"{len(found) + unlisted:,}{'' if is_counted else ' or more'}"
        return f", in {count} ways:" + "".join(f"\n    {line}" for line in lines)


class InvalidRuleError(OntologyError, ValueError):
    """A rule cannot be evaluated.

    Args:
        rule: the rule, as text.
        reason: the error.
    """

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(rule, reason)
        self.rule, self.reason = rule, reason

    def __str__(self) -> str:
        return f"the rule {self.rule} cannot be evaluated: {self.reason}"


class UnsupportedAxiomError(OntologyError):
    """An ontology has unsupported axioms, and strict loading was requested.

    Args:
        axioms: the axioms, each with its parts that have no effect and the reasons.
    """

    def __init__(self, axioms: Sequence[str]) -> None:
        super().__init__(tuple(axioms))
        self.axioms = tuple(axioms)

    def __str__(self) -> str:
        shown = [f"\n    {axiom}" for axiom in self.axioms[:_MOST_SHOWN]]
        if (more := len(self.axioms) - _MOST_SHOWN) > 0:
            shown.append(f"\n    and {more:,} more")
        subject = "1 axiom is" if len(self.axioms) == 1 else f"{len(self.axioms):,} axioms are"
        return f"{subject} not supported:{''.join(shown)}\nchange the ontology, or load it with strict=False"


class MissingImportError(OntologyError):
    """An `owl:imports` cannot be resolved locally; imports are never fetched from the network.

    Args:
        iri: the imported ontology.
        importing: the importing file or document.
        problem: the reason, as a clause about the imported ontology.
    """

    def __init__(self, iri: str, importing: str, problem: str = "is in no catalog") -> None:
        super().__init__(iri, importing, problem)
        self.iri, self.importing, self.problem = iri, importing, problem

    def __str__(self) -> str:
        return (
            f"{self.importing} imports <{self.iri}>, which {self.problem}; give its file as "
            f"catalog={{'{self.iri}': 'path/to/file'}} or the folder it is in, or load with imports=\"skip\""
        )


class NotKeyLocalError(OntologyError):
    """A stream cannot be sharded by a key, since rules join facts with different keys.

    Args:
        key: the key.
        report: text on the rules that prevent the sharding, with reasons.
    """

    def __init__(self, key: str, report: str) -> None:
        super().__init__(key, report)
        self.key, self.report = key, report

    def __str__(self) -> str:
        return (
            f"the stream cannot be sharded by {self.key}:\n{self.report}\n"
            "ontology.sharding_report() lists the usable keys, and options with which others are usable"
        )


class ContradictionError(PantarheiError):
    """After a change, the assertions of a graph would contradict each other.

    Args:
        conflicts: the conflict sets, each with the violated constraints; at most a thousand.
        unlisted: a text on further conflict sets; None if all are listed.
    """

    def __init__(self, conflicts: Sequence[object], unlisted: str | None = None) -> None:
        super().__init__(tuple(conflicts), unlisted)
        self.conflicts, self.unlisted = tuple(conflicts), unlisted

    def __str__(self) -> str:
        shown = [f"\n    {conflict}" for conflict in self.conflicts[:_MOST_SHOWN]]
        if (more := len(self.conflicts) - _MOST_SHOWN) > 0:
            shown.append(f"\n    and {more:,} more")
        if self.unlisted is not None:
            shown.append(f"\n    {self.unlisted}")
        found = f":{''.join(shown)}" if shown else " in more ways than can be listed"
        return (
            f"after the change the assertions would contradict each other{found}\n"
            "the change was not applied; delete one assertion of each conflict in the same change, or let "
            'the graph report conflicts with on_conflict="report"'
        )
