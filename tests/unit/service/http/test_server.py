import time

import httpx

from pantarhei.service.http import server
from served import running


def test_a_connection_stays_open_between_requests(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "HEAD_TIME", 0.1)
    with running(tmp_path) as served, httpx.Client(base_url=served.url) as client:
        for _ in range(3):
            assert client.get("/health").status_code == 200
            time.sleep(0.15)
        assert served.server.server_state.total_requests == 3
        assert len(served.server.server_state.connections) == 1
