"""State and files of the live page."""

from __future__ import annotations

import json
import pickle
import re
from datetime import UTC, datetime, timedelta
from importlib.resources import files

import pytest
from starlette.testclient import TestClient

from pantarhei.errors import WriterUnavailableError
from pantarhei.service.changes import Emitted
from pantarhei.service.http.app import ServiceView, make_app
from pantarhei.service.http.page import PageHistory
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import DeadLetter, Message, Record
from pantarhei.service.metrics import ENDPOINTS, ReaderMetrics
from service_tools import site

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
RULES = "@prefix : <http://example.org/> .\nalarm(S) :- :Hot(S) in [5 sec].\n"


class Served:
    """Driver with its HTTP application."""

    def __init__(self, folder) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "rules.lars").write_text(RULES)
        more, window = "rules: rules.lars\nhttp: {listen: 127.0.0.1:8190}", "{range: 1m, tick: 1s}"
        self.config = site(folder, "{push: {http: {readings: m.yaml}}}", more, window)
        self.driver = JournalDriver.fresh(read_knowledge(self.config))
        self.status = {"sources": {}, "sinks": {}}
        self.driver.is_current = True
        view = ServiceView(self.driver, self._control, ReaderMetrics())
        self.view, self.client = view, TestClient(make_app(view), base_url="http://127.0.0.1")

    def _control(self, **request):
        if self.status is None:
            raise WriterUnavailableError("the writer does not answer: there is no socket")
        return self.status

    def push(self, second: float, *readings: tuple[str, float], dead: tuple[DeadLetter, ...] = ()) -> None:
        at = NOON + timedelta(seconds=second)
        messages = tuple(
            Message("push", "readings", json.dumps({"id": name, "v": value, "at": at.isoformat()}).encode())
            for name, value in readings
        )
        self.driver.apply(Record(self.driver.number + 1, at, at, messages, dead))

    def get(self, path: str, **parameters: object):
        return self.client.get(path, params=parameters)

    def state(self):
        return self.get("/state").json()


@pytest.fixture
def served(tmp_path):
    return Served(tmp_path / "site")


def test_the_partitions_hold_all_assertions(served):
    for second, reading in enumerate([("a", 20), ("b", 31), ("a", 22), ("a", 23)]):
        served.push(10 * second, reading)
    window = served.state()["window"]
    assert window["end"] == "2026-03-02T12:00:30Z" and window["seconds"] == 60
    assert (sum(window["kept"]), sum(window["removed"])) == (2, 2)
    assert window["kept"][-1] == 1 and window["removed"][len(window["removed"]) // 2] == 1


def test_a_part_of_the_window_lists_its_assertions(served):
    for second, value in enumerate([20, 21, 22]):
        served.push(second, ("a", value))
    found = served.get("/window", **{"from": NOON.isoformat(), "to": "2026-03-02T12:00:02Z"}).json()
    values = [(each["triple"][2].split('"')[1], each["removed"]) for each in found["first"]]
    assert (found["count"], found["removed"]) == (2, 1)
    assert values == [("22", False), ("21", True)]


def test_removals_have_a_text_and_a_proof(served):
    served.push(0, ("a", 20))
    served.push(1, ("a", 21))
    (repair,) = served.get("/repairs").json()
    assert (
        repair["summary"] == "1 conflict, 1 assertion removed" and "21 replaces 20" in repair["removals"][0]
    )
    (proof,) = served.get("/repairs/proof", at=repair["at"], place=0).json()
    assert proof["steps"][-1]["kind"] == "contradiction"
    assert served.get("/repairs/proof", at=repair["at"], place=1).status_code == 404


def test_a_removal_that_left_the_window_has_no_proof(served):
    for second in (0, 1, 100):
        served.push(second, ("a", 20 + second))
    assert served.get("/repairs").json() == []
    assert served.get("/repairs/proof", at="2026-03-02T12:00:01Z", place=0).status_code == 404


def test_conclusions_have_a_proof_while_they_hold(served):
    served.push(0, ("a", 31))
    conclusions = served.state()["conclusions"]
    row = {"predicate": "http://example.org/alarm", "argument1": "http://example.org/a"}
    assert conclusions == {"count": 1, "first": [row]}
    assert served.get("/conclusions/proof", row=json.dumps(row)).json()["text"].endswith("alarm")
    for second in (20, 30):
        served.push(second, ("a", 20))
    assert served.get("/conclusions/proof", row=json.dumps(row)).status_code == 404


def test_dead_letters_are_counted_and_cut(served):
    letter = DeadLetter(Message("push", "readings", b"\xff" * 5_000), "malformed", "it is not JSON")
    served.push(0, dead=(letter,) * 70)
    dead = served.state()["dead"]
    assert dead["reasons"] == {"malformed": 70} and len(dead["last"]) == 50
    assert len(dead["last"][0]["payload"]) == 500


def test_the_page_holds_only_the_shown_part_of_dead_letters(tmp_path):
    history = PageHistory(Served(tmp_path / "site").driver)
    letters = [
        DeadLetter(Message("push", "t" * 10**6, b"x" * 10**6), "malformed", "d" * 10**6) for _ in range(70)
    ]
    history.add(Emitted(1, NOON, (), tuple(letters)), None)
    assert history.dead_letters()["reasons"] == {"malformed": 70}
    assert len(pickle.dumps(history._dead)) < 50 * 2_000


def test_all_routes_of_data_are_counted_by_their_name(served):
    paths = {route.path.split("/")[1] for route in served.client.app.routes}
    assert paths - ENDPOINTS == {"", "static", "openapi.json"}


def test_rates_begin_with_the_first_record(served, monkeypatch):
    now = 1_000_000.0
    monkeypatch.setattr("pantarhei.service.http.page.time.time", lambda: now)
    monkeypatch.setattr("pantarhei.service.http.exchange.PERIOD", 0.0)
    served.push(0, ("a", 20), ("b", 31))
    served.push(1, ("a", 21))
    now += 2
    rates = served.state()["rates"]
    assert rates["messages"] == [3, 0] and rates["removed"] == [1, 0]
    now += 1_000
    served.push(2)
    now += 1
    assert served.state()["rates"]["messages"] == [0] * 180


def test_the_state_names_the_problem_if_the_writer_does_not_answer(served):
    served.status = None
    state = served.state()
    assert state["writer"] == {} and state["problem"] == "the writer does not answer: there is no socket"


def test_clients_share_a_state(served):
    served.push(0, ("a", 20))
    first = served.state()
    served.push(1, ("a", 21))
    assert served.state() == first


@pytest.mark.parametrize(
    ("path", "parameters", "named"),
    [
        ("/window", {}, "from"),
        ("/window", {"from": "2026-03-02T12:00:00Z", "to": "noon"}, "to"),
        ("/window", {"from": "0001-01-01T00:00:00+14:00", "to": "2026-03-02T12:00:00Z"}, "from"),
        ("/repairs/proof", {"at": "x", "place": "-1"}, "place"),
        ("/repairs/proof", {"at": "x", "place": "9" * 5_000}, "place"),
        ("/repairs/proof", {"at": "x"}, "place"),
        ("/conclusions/proof", {"row": "{"}, "row"),
        ("/conclusions/proof", {"row": "[" * 20_000}, "row"),
        ("/conclusions/proof", {}, "row"),
    ],
)
def test_malformed_parameters_are_named(served, path, parameters, named):
    answer = served.get(path, **parameters)
    assert answer.status_code == 400 and answer.text.startswith(f"{named} must be")


@pytest.mark.parametrize("name", ["page.js", "page.css", "icon.svg", ""])
def test_files_allow_nothing_from_other_servers(served, name):
    answer = served.get(f"/static/{name}" if name else "/")
    assert answer.status_code == 200
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")


@pytest.mark.parametrize("name", ["other", "__init__.py", "..%2fconfig.py", "%2e%2e/config.py", "%00", ""])
def test_other_files_are_not_served(served, name):
    assert served.get(f"/static/{name}").status_code == 404


def test_data_are_inserted_as_text():
    page = {each.name: each.read_text() for each in files("pantarhei.service").joinpath("page").iterdir()}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", page["page.js"])
    assert not re.search(r"<script>|<style| style=| on\w+=", page["index.html"])
    foreign = [url for text in page.values() for url in re.findall(r"https?://[^\s\"']+", text)]
    assert set(foreign) == {"http://www.w3.org/2000/svg"}
