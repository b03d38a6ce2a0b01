import asyncio
import json

import pytest

from pantarhei.service.http import events
from pantarhei.service.http.events import EventHub
from served import Served


@pytest.fixture
def served(tmp_path):
    return Served(tmp_path, "{clients: 4}")


def hub_of(served):
    return EventHub(served.view)


def parsed(text):
    """Events of a stream as tuples of their name, id and data."""
    found = []
    for block in text.decode().split("\n\n"):
        fields = dict(line.partition(": ")[::2] for line in block.split("\n") if not line.startswith(":"))
        if "data" in fields:
            found.append((fields.get("event", ""), fields.get("id", ""), json.loads(fields["data"])))
    return found


async def read(stream, count, patience=2.0):
    """The next `count` events of a stream."""
    found = []
    async with asyncio.timeout(patience):
        while len(found) < count:
            found += parsed(await anext(stream))
    return found


async def opened(hub, wanted=("*",), last=""):
    stream = hub.stream(wanted, last)
    assert await anext(stream) == b"retry: 1000\n\n"
    return stream


def rows(found):
    return [(data["name"], data["change"], data["row"].get("s", "")[-1:]) for _, _, data in found]


def test_changes_arrive_with_their_ids(served):
    async def run():
        stream = await opened(hub_of(served))
        emitted = served.read("a", 31)
        return await read(stream, 1), emitted

    ((event, id_, data),), emitted = asyncio.run(run())
    assert (event, id_, data) == ("", emitted.changes[0].id, emitted.changes[0].as_json())


def test_only_wanted_names_arrive(served):
    async def run():
        hub = hub_of(served)
        everything, repairs = await opened(hub), await opened(hub, ["repairs"])
        served.read("a", 31)
        served.read("a", 32)
        served.read("a", 33)
        return await read(everything, 5), await read(repairs, 2)

    everything, repairs = asyncio.run(run())
    assert {data["name"] for _, _, data in everything} == {"hot"}
    assert {data["name"] for _, _, data in repairs} == {"repairs"}


@pytest.mark.parametrize("seen", range(4))
def test_a_client_resumes_after_the_last_change_that_it_has(served, seen):
    async def run():
        hub = hub_of(served)
        first = await opened(hub)
        for name in "abcd":
            served.read(name, 31)
        before = await read(first, 4)
        await first.aclose()
        again = await opened(hub, last=before[seen][1])
        served.read("e", 31)
        return before, await read(again, 4 - seen)

    before, after = asyncio.run(run())
    assert rows(after) == [*rows(before)[seen + 1 :], ("hot", "+", "e")]


def test_a_client_whose_last_change_is_not_kept_is_notified(served):
    async def run():
        hub = hub_of(served)
        emitted = served.read("a", 31)
        stream = await opened(hub, last="1-0123456789abcdef")
        (reset,) = await read(stream, 1)
        served.read("b", 31)
        return emitted, reset, await read(stream, 1)

    emitted, reset, after = asyncio.run(run())
    assert reset[:2] == ("reset", emitted.changes[-1].id)
    assert rows(after) == [("hot", "+", "b")]


def test_a_client_waits_for_the_replay_after_a_restart(served, monkeypatch):
    monkeypatch.setattr(events, "_WAIT", 0.01)

    async def run():
        served.driver.is_current = False
        hub = hub_of(served)
        stream = await opened(hub, last=served.read("a", 31).changes[0].id)
        assert await anext(stream) == b":\n\n"
        served.read("b", 31)
        served.driver.is_current = True
        return await read(stream, 1)

    assert rows(asyncio.run(run())) == [("hot", "+", "b")]


def test_a_silent_stream_has_heartbeats_that_move_the_position(served, monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT", 0.01)

    async def run():
        hub = hub_of(served)
        stream = await opened(hub, ["conclusions"])
        assert await anext(stream) == b":\n\n"
        emitted = served.read("a", 31)
        await asyncio.sleep(0.05)
        for _ in range(5):
            text = await anext(stream)
        return text, emitted.changes[-1].id

    text, last = asyncio.run(run())
    assert text == f"id: {last}\n\n".encode()


def test_a_client_that_does_not_read_is_dropped_within_bounded_memory(served, monkeypatch):
    monkeypatch.setattr(events, "KEPT", 10)

    async def run():
        hub = hub_of(served)
        slow, fast = await opened(hub), await opened(hub)
        got = []
        for number in range(30):
            served.read(f"s{number}", 31)
            got += await read(fast, 1)
        found = []
        async for text in slow:
            found += parsed(text)
        assert len(hub) == 1
        return found, got, hub.dropped

    found, got, dropped = asyncio.run(run())
    assert found[-1][0] == "dropped" and len(found) <= 12
    assert len(got) == 30 and dropped == 1


def test_a_burst_larger_than_the_history_drops_the_clients_that_are_behind(served, monkeypatch):
    monkeypatch.setattr(events, "KEPT", 10)

    async def run():
        hub = hub_of(served)
        stream = await opened(hub)
        first = served.read("a", 31).changes[0]
        await read(stream, 1)
        emitted = served.read("b", 31)
        for _ in range(events.KEPT + 1):
            hub.receive(emitted, None)
        last = [event async for event in stream][-1]
        again = await opened(hub, last=first.id)
        return parsed(last), await read(again, 1)

    last, again = asyncio.run(run())
    assert last[-1][0] == "dropped" and again[0][0] == "reset"


def test_unknown_names_and_too_many_clients_are_refused(served):
    client = served.client()
    response = client.get("/events?query=hot,hott")
    assert response.status_code == 404 and "'hott'" in response.text

    async def run():
        hub = hub_of(served)
        streams = [await opened(hub) for _ in range(3)]
        scope = {"type": "http", "query_string": b"", "headers": [], "method": "GET", "path": "/events"}
        from starlette.requests import Request

        with pytest.raises(events.RequestError) as error:
            await hub.respond(Request(scope))
        return error.value.status, len(streams)

    assert asyncio.run(run()) == (503, 3)
