"""Directives of the site for commands and errors, and the role of backquoted names in docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import getdoc
from typing import Any

import typer
from docutils import nodes
from docutils.statemachine import StringList
from rich.text import Text
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

import pantarhei
from pantarhei.cli.commands import app as program

OPTION = re.compile(r"((?<!\S)--[a-z][a-z-]*|\[bold\].*?\[/bold\])")
NAME = re.compile(r"[A-Za-z_][\w.]*(\(\))?")


class NameRole(SphinxRole):
    """Role of a backquoted text: code, and a link if it is a name in the reference (see `keep_as_code`)."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        code = nodes.literal(self.rawtext, self.text, classes=["py", "py-obj"])
        if not NAME.fullmatch(self.text):
            return [code], []
        reference = addnodes.pending_xref(
            self.rawtext,
            code,
            refdomain="py",
            reftype="obj",
            reftarget=self.text.removesuffix("()"),
            refdoc=self.env.docname,
            refexplicit=False,
            refwarn=False,
            may_be_code=True,
        )
        reference["py:module"] = self.env.ref_context.get("py:module")
        reference["py:class"] = self.env.ref_context.get("py:class")
        return [reference], []


class CommandDirective(SphinxDirective):
    """Directive `command NAME`: a command's text, and its options by group, as its `--help` shows them."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        group: Any = typer.main.get_command(program)
        command = group.commands[self.arguments[0]]
        arguments = [each for each in command.params if each.param_type_name == "argument"]
        usage = " ".join(["pantarhei", command.name, "[OPTIONS]", *(each.metavar for each in arguments)])
        made: list[nodes.Node] = [nodes.literal_block(usage, usage, language="text")]
        made += [paragraph(part) for part in command.help.split("\n\n")]
        groups: dict[str, nodes.definition_list] = {}
        for each in command.params:
            if not getattr(each, "hidden", False):
                kind = "Arguments" if each in arguments else each.rich_help_panel or "Options"
                groups.setdefault(kind, nodes.definition_list()).append(self.option(command.name, each))
        for title, options in groups.items():
            made += [nodes.rubric(title, title), options]
        if command.epilog:
            title, *examples = (plain(part) for part in command.epilog.split("\n\n"))
            text = "\n\n".join(examples)
            made += [nodes.rubric(title, title), nodes.literal_block(text, text, language="text")]
        return made

    def option(self, command: str, given: Any) -> nodes.definition_list_item:
        """Return an option or argument with its values, its default and its help."""
        choices = given.type_descriptor.choices
        value = given.metavar or ("|".join(map(str, choices)) if choices else "")
        names = [*given.opts, *given.secondary_opts] if given.param_type_name == "option" else []
        label = ", ".join(names)
        term = nodes.term("", "", nodes.literal(label, label)) if label else nodes.term()
        if value and not getattr(given, "is_flag", False):
            term += [nodes.Text(" "), nodes.emphasis(value, value)]
        if names:
            term["ids"].append(f"{command}-{names[0].lstrip('-')}")
        default = given.default
        notes = [given.help or ""]
        if given.required:
            notes.append("Required.")
        elif default not in (None, False, ()) and default is not True:
            notes.append(f"Default: {default}.")
        return nodes.definition_list_item("", term, nodes.definition("", paragraph(" ".join(notes))))


class ErrorsDirective(SphinxDirective):
    """Directive `errors`: the tree of the public errors, or `warnings`, then each class."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        root = Warning if self.arguments else pantarhei.PantarheiError
        public = [getattr(pantarhei, name) for name in pantarhei.__all__]
        errors = [each for each in public if isinstance(each, type) and issubclass(each, root)]
        tops = [each for each in errors if not any(base in errors for base in each.__bases__)]
        tree = list(preorder(tops, errors))
        lines = ["```{eval-rst}", ".. currentmodule:: pantarhei"]
        for depth, error in tree:
            first = (getdoc(error) or "").split("\n\n")[0].replace("\n", " ")
            lines += ["", f"{'  ' * depth}* :exc:`{error.__name__}`: {first}"]
        for _, error in tree:
            lines += ["", f".. autoexception:: {error.__name__}", "   :show-inheritance:"]
        lines.append("```")
        made = nodes.Element()
        self.state.nested_parse(StringList(lines, "errors"), 0, made)
        return made.children


def preorder(top: list[type], errors: list[type], depth: int = 0) -> Iterator[tuple[int, type]]:
    """Yield each class with its depth, followed by its subclasses."""
    for each in top:
        yield depth, each
        yield from preorder([error for error in errors if each in error.__bases__], errors, depth + 1)


def paragraph(text: str) -> nodes.paragraph:
    """Return a text of the command line as a paragraph in which options and commands are code."""
    made = nodes.paragraph()
    for index, part in enumerate(OPTION.split(text)):
        shown = plain(part)
        made += nodes.literal(shown, shown) if index % 2 else nodes.Text(shown)
    return made


def plain(text: str) -> str:
    """Return a text of the command line without its markup for terminals."""
    return Text.from_markup(text.replace("\n", " ")).plain


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_role("name", NameRole())
    app.add_directive("command", CommandDirective)
    app.add_directive("errors", ErrorsDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
