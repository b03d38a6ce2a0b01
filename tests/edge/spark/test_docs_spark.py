"""The code of pages and docstrings about Spark runs."""

from __future__ import annotations

import doctest

import pytest

from counts import some
from test_docs import ON_SPARK, ROOT, blocks, examples, modules, names, run, takes_spark

PAGES = sorted(ON_SPARK)


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_the_code_of_the_page_runs(page, spark, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert blocks(page)
    run(page)


MODULES = [name for name in modules() if name.startswith("pantarhei.spark")]


@pytest.mark.parametrize("name", some(MODULES, MODULES[:1]))
def test_the_examples_in_docstrings_run(name, spark, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    runner = doctest.DocTestRunner(verbose=False)
    for docstring in filter(takes_spark, examples(name)):
        docstring.globs.update(spark=spark, folder=tmp_path)
        assert runner.run(docstring).failed == 0
