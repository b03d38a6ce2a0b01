"""Configuration of the site, which `make docs` builds from these pages and from docstrings."""

from __future__ import annotations

import ast
import os.path
import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject
from sphinx.environment import BuildEnvironment
from sphinx.util.inspect import TypeAliasForwardRef
from sphinx.util.nodes import make_refnode

import pantarhei.spark
from pantarhei.version import __version__

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

project = "pantarhei"
copyright = "the pantarhei developers. Apache License 2.0"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "directives", "built_pages"]

# Pages are Markdown, read as GitHub reads it: anchors of headings, tables, fenced code.
myst_heading_anchors = 4
smartquotes_action = "D"  # dashes; quotation marks stay
suppress_warnings = ["myst.header"]  # the changelog repeats its headings below each version

# Names of types that signatures keep; docs/reference/types.md defines them.
TYPES = [
    "ABox",
    "AnswerRow",
    "Argument",
    "Assertion",
    "DataRange",
    "Duration",
    "Fate",
    "GivenContexts",
    "Json",
    "Key",
    "Labels",
    "MappingSource",
    "Names",
    "OnBad",
    "Predicate",
    "Record",
    "Source",
    "Term",
    "TimePoint",
    "Triple",
]

# Docstrings have Google's sections; a text in backquotes is a link if it names an object of the reference.
default_role = "name"
add_module_names = False
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_inherit_docstrings = False
autodoc_type_aliases = {name: name for name in TYPES}
for field in PyObject.doc_field_types:
    if field.name == "variable":
        field.label = "Attributes"
TypeAliasForwardRef.__repr__ = lambda alias: alias.name  # inside of generic types, Sphinx shows the repr
python_use_unqualified_type_names = True
python_display_short_literal_types = True
maximum_signature_line_length = 72
napoleon_numpy_docstring = False
napoleon_use_ivar = True
toc_object_entries_show_parents = "hide"

# Each reference leads somewhere, except to what other projects document: nothing is fetched for such links.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(builtins|dataclasses|typing|collections|datetime|os|pathlib|enum|numpy|np)(\..*)?"),
    # Parts of values that no program reads.
    (r"py:class", r"pantarhei\.(model\.message_text|io\.mapping\.\w+|temporal\.conclusion_chart)\.\w+"),
    (r"py:class", r"pantarhei\.(encoding\.numbers\.Symbol|rules\.sharding\.key_map\.KeyPositions)"),
    (r"py:class", r"pantarhei\.rules\.sharding\.obstacle\.LocatedFacts"),
    (r"py:class", r"pantarhei\.engine\.checkpoint\.blocks\.\w+"),
    (r"py:exc", r"StreamingQueryException|AnalysisException"),
    (r"py:.*", r"(rdflib|pandas|pd|pyarrow|pa|polars|pl|pyspark|owlready2)(\..*)?"),
]

html_theme = "pydata_sphinx_theme"
html_title = f"pantarhei {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "choose": [], "search": []}
html_theme_options = {
    "logo": {"text": "pantarhei"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
}

# Pages of the site whose text is in a file outside `docs`.
OUTSIDE = {
    "README.md": "index",
    "CHANGELOG.md": "project/changelog",
    "CONTRIBUTING.md": "project/contributing",
    "SECURITY.md": "project/security",
    "examples/README.md": "examples/index",
    "examples/air/README.md": "examples/air",
    "examples/machine/README.md": "examples/machine",
    "examples/parking/README.md": "examples/parking",
    "examples/service/README.md": "examples/service",
    "examples/site/README.md": "examples/site",
}
INCLUDED = re.compile(r"^```\{include\} (\S+)\n```$", re.MULTILINE)
LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s]+)\)")
# Classes that only the package itself constructs.
RESULTS = [
    "AnswerChange",
    "AnswerChanges",
    "AnswerReports",
    "ConclusionChanges",
    "ConclusionSet",
    "ConflictList",
    "ContinuousQuery",
    "Follower",
    "Foundation",
    "Interpretation",
    "LiveAnswers",
    "Mapping",
    "QueryResult",
    "ReasoningQuery",
    "RecordReader",
    "Repair",
    "StepAssertions",
    "StreamQuery",
    "StreamReader",
    "TripleDelta",
]
PRIVATE = re.compile(r", (_\w+:|\w+: ~?dataclasses\.InitVar).*?(?=, \w+:|\)$)")
OBJECT = re.compile(r"= (<[^>]+>|[A-Z]\w*\(.*?\))(?=, \w+:|\)$)")  # a default that has no literal
PAGE = re.compile(r"docs/([\w/-]+)\.md")


def insert_text(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace a page's `include` blocks by the files, and adapt links to files outside `docs`."""
    folder = (DOCS / docname).parent
    text = with_links(source[0], folder, folder)

    def included(match: re.Match[str]) -> str:
        file = (folder / match[1]).resolve()
        return with_links(file.read_text(encoding="utf-8"), file.parent, folder)

    source[0] = INCLUDED.sub(included, text)


def with_links(text: str, folder: Path, seen_from: Path) -> str:
    """Return a text of the folder `folder` with its links as seen from another folder.

    A link to a page of the site leads there; a link to a folder or a module becomes plain text.
    """

    def changed(match: re.Match[str]) -> str:
        path, mark, anchor = match[2].partition("#")
        if not path or ":" in path:
            return match[0]
        target = (folder / path).resolve()
        page = OUTSIDE.get(os.path.relpath(target, DOCS.parent))
        if page is None and (target.is_dir() or target.suffix == ".py"):
            return match[1]
        linked = target if page is None else DOCS / f"{page}.md"
        return f"[{match[1]}]({os.path.relpath(linked, seen_from)}{mark}{anchor})"

    return LINK.sub(changed, text)


def complete_modules(app: Sphinx) -> None:
    """Import into each module the names of its annotations that it imports for type checkers only."""
    for name in pantarhei.spark.__all__:
        getattr(pantarhei.spark, name)  # imports its module
    blocks = [
        (module, ast.Module(node.body, []))
        for name, module in sys.modules.items()
        if name.startswith("pantarhei.") and module.__file__ and "/kernel/" not in module.__file__
        for node in ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    while blocks:  # a block may import a name that the block of another module defines
        failed = []
        for module, block in blocks:
            try:
                exec(compile(block, str(module.__file__), "exec"), vars(module))
            except ImportError:
                failed.append((module, block))
        assert len(failed) < len(blocks)
        blocks = failed


def prepare_docstring(
    app: Sphinx, what: str, name: str, subject: object, options: object, lines: list[str]
) -> None:
    """Adapt a docstring to the site, before its sections are read."""
    # `docs/page.md` becomes a link.
    lines[:] = [PAGE.sub(r":doc:`/\1`", line) for line in lines]
    if what in ("property", "attribute"):
        lines.insert(0, "\\ ")  # otherwise napoleon reads the words before a colon as the property's type
    if name.rpartition(".")[2] in RESULTS and "Args:" in lines:
        start = lines.index("Args:")
        end = next((i for i in range(start + 1, len(lines)) if lines[i][:1].strip()), len(lines))
        del lines[start:end]


def public_signature(
    app: Sphinx, what: str, name: str, subject: object, options: object, signature: str, returns: str
) -> tuple[str, str] | None:
    """Show no private parameters, and none of a class that only the package itself constructs."""
    if what == "class" and name.rpartition(".")[2] in RESULTS:
        return "", ""
    return OBJECT.sub("= ...", PRIVATE.sub("", signature or "")) or signature, returns


def public_bases(app: Sphinx, name: str, subject: object, options: object, bases: list[type]) -> None:
    """Show the bases of errors that are errors."""
    bases[:] = [base for base in bases if isinstance(base, type) and issubclass(base, BaseException)]


def skip_member(
    app: Sphinx, what: str, name: str, member: object, skip: bool, options: object
) -> bool | None:
    """Omit the accessors of named tuples, whose fields the class describes."""
    return True if type(member).__name__ == "_tuplegetter" else None


def resolve_name(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.TextElement
) -> nodes.Element | None:
    """Link a name that is not qualified, or is qualified by the module that defines it."""
    module, _, last = node["reftarget"].rpartition(".")
    found = {
        (entry.docname, entry.node_id)
        for name, entry in env.domains.python_domain.objects.items()
        if name.rpartition(".")[2] == last and entry.objtype in ("class", "exception", "type")
    }
    is_ours = not module or module.startswith("pantarhei")  # not `collections.abc.Mapping`
    if is_ours and node.get("refdomain") == "py" and len(found) == 1:
        page, anchor = found.pop()
        return make_refnode(app.builder, node["refdoc"], page, anchor, content, last)
    return content if node.get("may_be_code") else None


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", complete_modules)
    app.connect("source-read", insert_text)
    app.connect("autodoc-process-docstring", prepare_docstring, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", public_signature)
    app.connect("autodoc-process-bases", public_bases)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("missing-reference", resolve_name)
