"""Options of a stream reasoner, as one value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from pantarhei.errors import check_choice, check_type
from pantarhei.materialize.model import Keep
from pantarhei.model.time import Duration, Precision, TimeKind, check_precision
from pantarhei.repair.conflict import Budget
from pantarhei.repair.cut import METHODS, Method
from pantarhei.temporal.ticks import check_tick
from pantarhei.values.by_value import Numbers
from pantarhei.window.retention import NO_LIMITS, History, Limits
from pantarhei.window.sliding import Window

Derive = Literal["all", "needed"]
ConclusionsIn = Literal["graph", "default"]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a stream reasoner, documented at `StreamReasoner`.

    Raises:
        OptionError: an option has an invalid value; a `QueryWindowError` for a window that only queries may
        have.
    """

    window: Window
    repair: Method = "exact"
    keep: Keep = "newest"
    unique_names: bool = True
    budget: Budget = field(default_factory=Budget)
    limits: Limits = NO_LIMITS
    derive: Derive = "all"
    history: History = field(default_factory=History)
    conclusions: ConclusionsIn = "graph"
    numbers: Numbers = "by_datatype"
    precision: Precision = "microseconds"
    tick: Duration | None = None

    def __post_init__(self) -> None:
        check_type("window", self.window, Window, "a Window, such as Window(range=10)")
        self.window.check_holds_all(self.window.kind or TimeKind.INTEGER)
        check_type("budget", self.budget, Budget, "a Budget")
        check_type("limits", self.limits, Limits, "Limits, such as Limits(max_facts=1_000_000)")
        check_type("history", self.history, History, "a History, such as History(steps=1000)")
        check_choice("repair", self.repair, METHODS)
        check_choice("keep", self.keep, get_args(Keep))
        check_choice("derive", self.derive, get_args(Derive))
        check_choice("conclusions", self.conclusions, get_args(ConclusionsIn))
        check_choice("numbers", self.numbers, get_args(Numbers))
        check_precision(self.precision)
        if self.tick is not None:
            check_tick(self.tick, self.window)
        check_choice("unique_names", self.unique_names, (True, False))
