import json
import socket

import pytest

from pantarhei.errors import OptionError, PantarheiError
from pantarhei.service.control import ControlClient, ControlServer, RefusedError, WriterUnavailableError


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (WriterUnavailableError("the disk is full"), WriterUnavailableError),
        (OptionError("name", "'a'", "another name"), RefusedError),
        (KeyError("a"), WriterUnavailableError),
        (RecursionError("a"), WriterUnavailableError),
    ],
)
def test_errors_of_the_writer_reach_the_reader_as_what_they_are(tmp_path, error, expected):
    def handle(given):
        if given.get("fails"):
            raise error
        return {"given": dict(given)}

    server = ControlServer(tmp_path, handle)
    try:
        client = ControlClient(tmp_path)
        assert client(status=True) == {"given": {"status": True}}
        with pytest.raises(expected) as raised:
            client(fails=True)
        shown = str(error) if isinstance(error, PantarheiError) else "internal error; the log of the service"
        assert str(raised.value).startswith(shown)
        assert client(status=True) == {"given": {"status": True}}
    finally:
        server.close()


def test_a_missing_writer_is_unavailable(tmp_path):
    with pytest.raises(WriterUnavailableError) as error:
        ControlClient(tmp_path)(status=True)
    expected = "the writer does not answer: No such file or directory; send the request again later"
    assert str(error.value) == expected


@pytest.mark.parametrize("line", [b"{", b"[]", b"\xff", b"1"])
def test_a_line_that_is_not_a_request_is_answered_as_an_error(tmp_path, line):
    server = ControlServer(tmp_path, lambda given: {"given": dict(given)})
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(tmp_path / "control"))
            lines = connection.makefile("rwb")
            lines.write(line + b"\n{}\n")
            lines.flush()
            assert [*json.loads(lines.readline())] == ["unavailable" if line != b"[]" else "given"]
            assert json.loads(lines.readline()) == {"given": {}}
    finally:
        server.close()
