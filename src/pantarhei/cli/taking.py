"""Commands whose parameters are the fields of a dataclass."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from typer._click.core import Context  # typer has no public name for it

Given = TypeVar("Given")
_OF_PATHS = re.compile("PATH|FILE|TABLE")


def taking(options: type[Given]) -> Callable[[Callable[[Given], None]], Callable[..., None]]:
    """Make a command whose parameters are the fields of a dataclass of one that takes such a value."""

    def command_of(follow: Callable[[Given], None]) -> Callable[..., None]:
        @wraps(follow)
        def command(**given: Any) -> None:
            follow(options(**given))

        command.__signature__ = signature(options, eval_str=True)  # type: ignore[attr-defined]
        command.__annotations__ = get_type_hints(options)
        return command

    return command_of


class EachOnce(TyperCommand):
    """A command that refuses an option given twice of which only the last value would have an effect, and
    an empty text where a path is expected, as the `metavar` says: it would be the current folder.
    """

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        values, rest, given = self.make_parser(ctx).parse_args(list(args))
        if rest and not any(each.param_type_name == "argument" for each in self.params):
            problem = "belongs to no option; a glob stands in quotation marks, or its option before each file"
            raise typer.BadParameter(f"{rest[0]} {problem}")
        for option, times in Counter(given).items():
            if times > 1 and not option.multiple:
                raise typer.BadParameter(f"given {times} times, but one is taken", param_hint=option.opts[0])
        for each in self.params:
            value = values.get(each.name)
            is_empty = "" in value if isinstance(value, list | tuple) else value == ""
            if is_empty and each.metavar and _OF_PATHS.search(each.metavar):
                problem = f"it is an empty text, and {each.metavar.strip('[].')} is expected"
                raise typer.BadParameter(problem, param_hint=each.opts[0])
        return super().parse_args(ctx, args)
