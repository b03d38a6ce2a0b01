"""Rules: normal axioms in, rules and constraints out."""

from pantarhei.rules.translation.canonical_rule import canonical
from pantarhei.rules.translation.inconsistency_normal_form import InconsistencyNormalForm, NormalConstraint
from pantarhei.rules.translation.translate import Loss, Translation, translate

__all__ = ["InconsistencyNormalForm", "Loss", "NormalConstraint", "Translation", "canonical", "translate"]
