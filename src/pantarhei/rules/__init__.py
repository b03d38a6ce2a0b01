"""Rules: normal axioms in, rules and constraints out."""

from pantarhei.rules.canonical import canonical
from pantarhei.rules.inconsistency_normal_form import InconsistencyNormalForm, NormalConstraint
from pantarhei.rules.translation import Loss, Translation, translate

__all__ = ["InconsistencyNormalForm", "Loss", "NormalConstraint", "Translation", "canonical", "translate"]
