"""HTTP server: uvicorn with the application, on a socket that the supervisor has opened."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

from pantarhei.service.config import ServiceConfig
from pantarhei.service.control import ControlClient
from pantarhei.service.http.app import View, make_app
from pantarhei.service.reader import Reader, await_writer

if TYPE_CHECKING:
    from uvicorn import Server

    from pantarhei.service.writer import Writer


def run_reader(config: ServiceConfig, number: int, descriptor: int) -> None:
    """Run a reader and its HTTP server until the writer ends.

    Args:
        number: the number of the reader; reader 0 writes the checkpoints.
        descriptor: the file descriptor of the listening socket.
    """
    notice = threading.Event()
    await_writer(notice)  # before anything that takes time: a reader holds the port
    reader = Reader(config, number == 0, notice)
    control = ControlClient(config.path(config.state.folder))
    view = View(config, lambda: reader.driver, control, reader.has_caught_up.is_set)
    reader.followers.append(view.publish)
    reader.start()
    _server(config, view).run([socket.socket(fileno=descriptor)])


def serve_in_thread(config: ServiceConfig, writer: Writer, listening: socket.socket) -> None:
    """Run the HTTP server in a thread of the writer's process."""

    def control(**request: object) -> object:
        return writer.handle(request)

    view = View(config, lambda: writer.driver, control, lambda: writer.is_ready)
    writer.followers.append(view.publish)
    server = _server(config, view)
    threading.Thread(target=server.run, args=([listening],), name="http", daemon=True).start()


def _server(config: ServiceConfig, view: View) -> Server:
    import uvicorn

    assert config.http is not None, "there is a socket"
    return uvicorn.Server(
        uvicorn.Config(
            make_app(view),
            log_level="warning",
            access_log=False,
            limit_concurrency=config.http.clients,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=64 * 1024,
            server_header=False,
        )
    )
