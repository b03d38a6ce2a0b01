"""The code of docs/spark.md runs."""

from __future__ import annotations

import pytest

from test_docs import ROOT, blocks

PAGE = ROOT / "docs" / "spark.md"


@pytest.mark.long
def test_the_code_of_the_page_runs(spark, monkeypatch):
    monkeypatch.chdir(ROOT)
    code = blocks(PAGE)
    assert len(code) >= 5
    namespace = {"__name__": "__main__"}
    for line, text in code:
        exec(compile("\n" * (line - 1) + text, PAGE, "exec"), namespace)
