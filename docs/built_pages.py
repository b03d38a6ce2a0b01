"""Check of the built site: no page loads anything from a network, and internal links lead to an anchor."""

from __future__ import annotations

import re
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

LOADED = {"link": "href", "script": "src", "img": "src", "source": "src", "iframe": "src", "object": "data"}
REMOTE = re.compile(r"(https?:)?//")
IN_STYLES = re.compile(r"""(?:@import\s*|url\(\s*)["']?((?:https?:)?//[^"')]+)""")


class Page(HTMLParser):
    """Anchors, links and loaded resources of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attributes if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        elif tag in LOADED and LOADED[tag] in given:
            self.loaded.add(given[LOADED[tag]])


def problems(site: Path) -> tuple[list[str], list[str]]:
    """Return what is wrong with a built site, and the external links of its pages, both sorted."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    wrong: list[str] = []
    external: dict[str, set[str]] = defaultdict(set)
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        wrong += [f"{name} loads {url} from a network" for url in page.loaded if REMOTE.match(url)]
        for link in page.links:
            if re.match(r"[a-z][a-z+.-]*:|//", link):
                external[link].add(name)
                continue
            file, anchor = (unquote(part) for part in urldefrag(link))
            target = (path.parent / file).resolve() if file else path
            if not target.is_file():
                wrong.append(f"{name} links to {link}, which does not exist")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                wrong.append(f"{name} links to {link}, but {target.name} has no such anchor")
    for path in site.rglob("*.css"):
        urls = IN_STYLES.findall(path.read_text(encoding="utf-8"))
        wrong += [f"{path.relative_to(site)} loads {url} from a network" for url in urls]
    return sorted(wrong), [
        f"{link}  ({', '.join(sorted(names))})" for link, names in sorted(external.items())
    ]


def check(app: Sphinx, error: Exception | None) -> None:
    """Fail if something is wrong with the built site; write the external links to `external-links.txt`."""
    if error is None and app.builder.name == "html":
        wrong, external = problems(Path(app.outdir))
        (Path(app.outdir) / "external-links.txt").write_text("\n".join(external) + "\n", encoding="utf-8")
        if wrong:
            raise ExtensionError("\n".join(wrong))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", check, priority=900)  # the theme writes its styles first
    return {"parallel_read_safe": True, "parallel_write_safe": True}
