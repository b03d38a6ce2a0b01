import pytest

from pantarhei.errors import OptionError
from pantarhei.service.control import ControlClient, ControlServer, RefusedError, WriterUnavailableError


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (WriterUnavailableError("the disk is full"), WriterUnavailableError),
        (OptionError("name", "'a'", "another name"), RefusedError),
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
        assert str(raised.value) == str(error)
        assert client(status=True) == {"given": {"status": True}}
    finally:
        server.close()


def test_a_missing_writer_is_unavailable(tmp_path):
    with pytest.raises(WriterUnavailableError) as error:
        ControlClient(tmp_path)(status=True)
    expected = "the writer does not answer: No such file or directory; send the request again later"
    assert str(error.value) == expected
