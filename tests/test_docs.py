"""The documentation runs and reads well: code and outputs of pages, examples, reference, links, language."""

from __future__ import annotations

import contextlib
import dis
import doctest
import importlib
import inspect
import io
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import typer
import yaml

import oracle
import pantarhei
import pantarhei.spark
from pantarhei.cli.commands import app as program

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
WRITTEN = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]  # pages whose words are limited
PAGES = [
    *WRITTEN,
    *sorted((ROOT / "examples").rglob("*.md")),
    *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
]
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def blocks(page):
    """Return a page's Python blocks, each with the number of its first line."""
    text = page.read_text(encoding="utf-8")
    found = [match for match in FENCE.finditer(text) if match[1] == "python"]
    return [(text.count("\n", 0, match.start(2)) + 1, match[2]) for match in found]


def run(page):
    """Run the Python blocks of a page in order, and the shell blocks of a tutorial, in the project's root.

    A `text` block directly below is the exact output; `…` in it stands for any text.
    """
    text, namespace = page.read_text(encoding="utf-8"), {"__name__": "__main__"}
    fences = list(FENCE.finditer(text))
    for fence, following in zip(fences, [*fences[1:], None], strict=True):
        if fence[1] == "python":
            line = text.count("\n", 0, fence.start(2))
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile("\n" * line + fence[2], page, "exec"), namespace)
            output = printed.getvalue()
        elif fence[1] == "sh" and page.parent.name == "tutorials":
            output = shell(fence[2])
        else:
            continue
        if following and following[1] == "text" and not text[fence.end() : following.start()].strip():
            expected = ".*".join(map(re.escape, following[2].rstrip().split("…")))
            stripped = "\n".join(map(str.rstrip, output.splitlines())).rstrip()
            assert re.fullmatch(expected, stripped, re.DOTALL), f"{page.name}, {fence[2]}prints\n{stripped}"


def shell(commands):
    """Return the output of commands of the shell, which find the programs of this Python."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ,
        "PATH": path,
        "COLUMNS": "110",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    done = subprocess.run(
        ["bash", "-ec", commands], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def modules():
    walked = [
        *pkgutil.walk_packages(pantarhei.__path__, "pantarhei."),
        *pkgutil.walk_packages(oracle.__path__, "oracle."),
    ]
    return ["pantarhei", *(module.name for module in walked if module.name != "pantarhei.__main__")]


def names(pages):
    return [str(page.relative_to(ROOT)) for page in pages]


# tests/edge/spark runs these, in the session that the tests share
ON_SPARK = {DOCS / "spark.md", DOCS / "spark-operations.md", DOCS / "tutorials" / "cluster.md"}
WITH_CODE = [page for page in PAGES if blocks(page) and page not in ON_SPARK]
MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
MARKS = {  # these run a service
    DOCS / "service.md": (pytest.mark.long,),
    DOCS / "tutorials" / "alarm.md": (
        pytest.mark.long,
        pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed"),
    ),
}


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=MARKS.get(page, ())) for page in WITH_CODE],
    ids=names(WITH_CODE),
)
def test_the_code_of_a_page_runs(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    run(page)


def test_there_is_code_to_run():
    pages = {name: len(blocks(ROOT / name)) for name in names(WITH_CODE)}
    guides = {
        f"docs/{name}.md"
        for name in ("development", "ontologies", "queries", "semantics", "service", "streams")
    }
    tutorials = {
        f"docs/tutorials/{name}.md" for name in ("alarm", "building", "csv", "contradiction", "queries")
    }
    assert set(pages) >= {"README.md", "docs/index.md", "examples/README.md", *guides, *tutorials}
    assert sum(pages.values()) >= 20


GUIDES = re.findall(r"^([a-z-]+)$", (DOCS / "guides.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_begins_with_a_program(name):
    beginning = (DOCS / f"{name}.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert next(FENCE.finditer(beginning))[1] == "python"


def test_a_tutorial_states_its_minutes():
    tutorials = [page for page in (DOCS / "tutorials").glob("*.md") if page.stem != "index"]
    assert len(tutorials) == 6
    for page in tutorials:
        assert re.match(r"# .*\n\n\*\w+ minutes\.\*", page.read_text(encoding="utf-8")), page.name


def test_the_readme_shows_a_program_with_its_output():
    kinds = [match[1] for match in FENCE.finditer((ROOT / "README.md").read_text(encoding="utf-8"))]
    assert ("python", "text") in list(pairwise(kinds))


# -- docstrings and the reference ------------------------------------------------------------------


def examples(name):
    """Return a module's docstrings with examples: doctest itself reads all known files before it runs one."""
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    return [docstring for docstring in found if docstring.examples]


def takes_spark(docstring):
    """Return whether examples need a session of Spark, which is their variable `spark`."""
    return any(re.search(r"(?<![\w.])spark\b", each.source) for each in docstring.examples)


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_docstrings_run(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    runner = doctest.DocTestRunner(verbose=False)
    for docstring in examples(name):
        if not takes_spark(docstring):
            assert runner.run(docstring).failed == 0


def test_there_are_examples_in_docstrings():
    assert sum(len(examples(name)) for name in modules()) >= 50
    assert len(modules()) >= 50


PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (pantarhei, pantarhei.spark)
    for name in module.__all__
}
ERRORS = [value for value in PUBLIC.values() if inspect.isclass(value) and issubclass(value, Exception)]
DESCRIBED = {name: value for name, value in PUBLIC.items() if value not in ERRORS}


REFERENCE = "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))
ENTRIES = [
    entry if entry.startswith("pantarhei.") else f"pantarhei.{entry}"
    for entry in re.findall(r"^\.\. auto(?:class|function):: ([\w.]+)", REFERENCE, re.MULTILINE)
]


def test_each_public_name_is_in_the_reference_once():
    assert len(ENTRIES) == len(set(ENTRIES))
    assert set(DESCRIBED) <= set(ENTRIES)
    assert "```{errors}\n```" in REFERENCE  # all errors and warnings, by directives.py
    assert "```{errors} warnings\n```" in REFERENCE


@pytest.mark.parametrize("name", ENTRIES)
def test_each_entry_of_the_reference_has_an_example(name):
    """A class may have its examples in its members."""
    module, _, last = name.rpartition(".")
    found = doctest.DocTestFinder().find(getattr(importlib.import_module(module), last), name)
    assert any(docstring.examples for docstring in found)


def test_members_that_the_reference_omits_exist():
    for entry, omitted in re.findall(
        r"^\.\. autoclass:: (\S+)\n   :exclude-members: (.*)$", REFERENCE, re.MULTILINE
    ):
        module, _, last = (entry if entry.startswith("pantarhei.") else f"pantarhei.{entry}").rpartition(".")
        described = getattr(importlib.import_module(module), last)
        known = {*dir(described), *described.__annotations__}
        assert set(omitted.split(", ")) <= known, entry


def test_each_command_is_in_the_reference():
    commands = typer.main.get_command(program).commands
    shown = [name for name, command in commands.items() if not command.hidden]
    assert re.findall(r"^```\{command\} (\w+)$", REFERENCE, re.MULTILINE) == shown


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_parameters_of_an_error_are_its_attributes(error):
    """The page of errors states this instead of a list of attributes for each."""
    makers = [base.__init__ for base in error.__mro__ if inspect.isfunction(vars(base).get("__init__"))]
    stored = {
        each.argval for made in makers for each in dis.get_instructions(made) if each.opname == "STORE_ATTR"
    }
    properties = {
        name for base in error.__mro__ for name, value in vars(base).items() if isinstance(value, property)
    }
    parameters = list(inspect.signature(makers[0]).parameters)[1:] if makers else []
    assert set(parameters) <= stored | properties


# -- links and language ----------------------------------------------------------------------------


def prose(page):
    """Return the text of a page outside of fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_lead_somewhere(page):
    for target in LINK.findall(prose(page)):
        file, _, place = target.partition("#")
        if ":" in file:
            continue
        linked = page.parent / file if file else page
        assert linked.exists(), f"{page.name} links to {target}"
        if place:
            assert place in anchors(linked), f"{page.name} links to {target}"


def anchors(page):
    """Return the anchors of a page's headings, as GitHub generates them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


WORDS = 32_300  # 3,000 of them are of the service, 1,000 of Spark in operation
MARKS_IN_1000_WORDS = 6
WORDS_IN_A_SENTENCE = 20

# Words that software does not do, and references that have to be read twice.
MARKS = re.compile(
    r"\b(told|tells?|telling|said|says?|asked|asks?|looked|looks?|stands?|stood|come to|came|goes|went"
    r"|take[sn]? in|let go|put in place|lies?|knows?"
    r"|those (?:that|of|which|who)|that of|of which|the (?:one|ones) (?:that|which)"
    r"|so (?:many|much|far) (?:as|of)|but for|is no(?:ne)? |as is)\b",
    re.IGNORECASE,
)


def sentences(page):
    """Return the sentences of paragraphs and list items, without code, headings, tables and link targets."""
    text = re.sub(r"\]\([^)]*\)", "]", prose(page))
    lines = ["" if re.match(r"#|\||<", line) else line for line in text.splitlines()]
    parts = re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ", "\n" + "\n".join(lines) + "\n")
    found = [
        sentence for part in parts for sentence in re.split(r"(?<=[.!?])[*)\"”]*\s+", " ".join(part.split()))
    ]
    return [sentence for sentence in found if re.search(r"\w", sentence)]


def test_the_pages_are_short():
    """A word is a text between white space, outside of fenced blocks; README.md and all pages below docs."""
    words = {page: len(prose(page).split()) for page in WRITTEN}
    longest = sorted(words.items(), key=lambda item: -item[1])[:5]
    assert sum(words.values()) <= WORDS, [f"{page.name}: {count}" for page, count in longest]


@pytest.mark.parametrize("page", WRITTEN, ids=names(WRITTEN))
def test_the_language_of_a_page_is_plain(page):
    """One mark is allowed on a page of any length."""
    text = " ".join(prose(page).split())
    marks = [match[0] for match in MARKS.finditer(text)]
    assert len(marks) <= max(1, MARKS_IN_1000_WORDS * len(text.split()) / 1000), marks
    found = sentences(page)
    if found:
        words = sum(len(sentence.split()) for sentence in found)
        longest = max(found, key=lambda sentence: len(sentence.split()))
        assert words <= WORDS_IN_A_SENTENCE * len(found), longest


# -- files of the project --------------------------------------------------------------------------


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == pantarhei.__version__
    assert citation["license"] == "Apache-2.0"
    assert [each["url"] for each in citation["references"]] == ["https://arxiv.org/abs/2603.01799"]


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda form: form.name
)
def test_forms_of_issues_are_complete(form):
    given = yaml.safe_load(form.read_text(encoding="utf-8"))
    if form.name == "config.yml":
        return
    assert given["name"] and given["description"]
    ids = [field["id"] for field in given["body"]]
    assert len(ids) == len(set(ids)) > 0
    assert all(field["attributes"]["label"] for field in given["body"])


PAGE = """<link rel="stylesheet" href="styles.css"><script src="https://cdn.example/menu.js"></script>
<h1 id="top"><a href="#top">Top</a><a href="#end">End</a><a href="other.html">Other</a></h1>
<a href="https://example.org/">External</a>"""


def test_a_link_to_nowhere_and_a_resource_from_a_network_are_problems_of_the_site(tmp_path, monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(DOCS)
    built_pages = importlib.import_module("built_pages")
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "styles.css").write_text("@font-face { src: url('//fonts.example/a.woff2') }")
    wrong, external = built_pages.problems(tmp_path)
    assert wrong == [
        "index.html links to #end, but index.html has no such anchor",
        "index.html links to other.html, which does not exist",
        "index.html loads https://cdn.example/menu.js from a network",
        "styles.css loads //fonts.example/a.woff2 from a network",
    ]
    assert external == ["https://example.org/  (index.html)"]
