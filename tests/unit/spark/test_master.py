import os
import socket

import pytest

from pantarhei.errors import MasterUnreachableError, OptionError
from pantarhei.spark.master import cores, is_local, require_known, require_reachable


@pytest.fixture
def listening():
    """The port of a socket that accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed():
    """A port on which nothing listens: taken, and not listened on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*,3]", "local-cluster[2,1,512]"])
def test_local_masters_are_local(master):
    assert is_local(master)


@pytest.mark.parametrize("master", ["spark://localhost:7077", "yarn", "k8s://https://local", "localhost", ""])
def test_other_masters_are_not_local(master):
    assert not is_local(master)


@pytest.mark.parametrize(
    ("master", "tasks"), [("local", 1), ("local[3]", 3), ("local[4,2]", 4), ("local-cluster[2,3,512]", 6)]
)
def test_the_cores_of_a_local_master_are_read_from_it(master, tasks):
    assert cores(master) == tasks


def test_a_star_is_as_many_cores_as_this_process_may_use():
    assert cores("local[*]") == cores("local[*,4]") == len(os.sched_getaffinity(0))


def test_a_master_is_reachable_if_one_of_its_hosts_accepts_a_connection(listening, closed):
    require_reachable(f"spark://127.0.0.1:{listening}")
    require_reachable(f"spark://127.0.0.1:{closed},127.0.0.1:{listening}")


def test_an_unreachable_master_is_an_error_that_says_why_for_each_host(closed):
    master = f"spark://127.0.0.1:{closed},127.0.0.1,127.0.0.1:99999"
    with pytest.raises(MasterUnreachableError) as raised:
        require_reachable(master)
    assert raised.value.master == master
    assert raised.value.reasons == (
        f"127.0.0.1:{closed}: Connection refused",
        "127.0.0.1: not HOST:PORT",
        "127.0.0.1:99999: not HOST:PORT",
    )
    assert "local[*]" in str(raised.value)


@pytest.mark.parametrize("master", ["local[2]", "yarn", "k8s://https://127.0.0.1:1", ""])
def test_masters_of_other_kinds_are_left_to_spark(master):
    require_reachable(master)


@pytest.mark.parametrize(
    "master",
    [
        "",
        "local",
        "local[2]",
        "local[*]",
        "local[2,3]",
        "local-cluster[2,1,512]",
        "spark://h:7077",
        "yarn",
        "k8s://h",
    ],
)
def test_masters_that_spark_knows_are_let_through(master):
    require_known(master)


@pytest.mark.parametrize("master", ["locl[2]", "local[2", "localhost", "spark:h", "2"])
def test_masters_of_no_kind_are_refused_before_java_starts(master):
    with pytest.raises(OptionError, match="local"):
        require_known(master)
