"""A command that refuses an option given twice, of which only the last value would have an effect."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from typer._click.core import Context  # typer has no public name for it


class EachOnce(TyperCommand):
    """A command whose options are given once each, but for those that take several values."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        *_, given = self.make_parser(ctx).parse_args(list(args))
        for option, times in Counter(given).items():
            if times > 1 and not option.multiple:
                raise typer.BadParameter(f"given {times} times, but one is taken", param_hint=option.opts[0])
        return super().parse_args(ctx, args)
