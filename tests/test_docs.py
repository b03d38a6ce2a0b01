"""The documentation runs: code on its pages, examples in docstrings, links between pages."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import oracle
import pantarhei

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def blocks(page):
    """Return a page's Python blocks, each with the number of its first line."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start(1)) + 1, match[1]) for match in BLOCK.finditer(text)]


def modules():
    walked = [
        *pkgutil.walk_packages(pantarhei.__path__, "pantarhei."),
        *pkgutil.walk_packages(oracle.__path__, "oracle."),
    ]
    return ["pantarhei", *(module.name for module in walked if module.name != "pantarhei.__main__")]


def names(pages):
    return [str(page.relative_to(ROOT)) for page in pages]


ON_SPARK = {ROOT / "docs" / "spark.md"}  # tests/edge/spark runs it, in the session that the tests share
WITH_CODE = [page for page in PAGES if blocks(page) and page not in ON_SPARK]


@pytest.mark.parametrize("page", WITH_CODE, ids=names(WITH_CODE))
def test_the_code_of_a_page_runs(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    namespace = {"__name__": "__main__"}
    for line, code in blocks(page):
        exec(compile("\n" * (line - 1) + code, page, "exec"), namespace)


def test_there_is_code_to_run():
    pages = {name: len(blocks(ROOT / name)) for name in names(WITH_CODE)}
    guides = {f"docs/{name}.md" for name in ("development", "ontologies", "queries", "semantics", "streams")}
    assert set(pages) >= {"README.md", "examples/README.md", *guides}
    assert sum(pages.values()) >= 20
    assert pages["README.md"] >= 1


def examples(name):
    """Return a module's docstrings with examples: doctest itself reads all known files before it runs one."""
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    return [docstring for docstring in found if docstring.examples]


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_docstrings_run(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    runner = doctest.DocTestRunner(verbose=False)
    for docstring in examples(name):
        assert runner.run(docstring).failed == 0


def test_there_are_examples_in_docstrings():
    assert sum(len(examples(name)) for name in modules()) >= 50
    assert len(modules()) >= 50


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        file, _, place = target.partition("#")
        if ":" in file:
            continue
        linked = page.parent / file if file else page
        assert linked.exists(), f"{page.name} links to {target}"
        if place:
            assert place in anchors(linked), f"{page.name} links to {target}"


def anchors(page):
    """Return the anchors of a page's headings, as GitHub generates them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
