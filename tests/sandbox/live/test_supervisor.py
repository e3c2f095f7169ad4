"""Programs beside a server: started, started again, changed, ended, and gone with their keeper."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from gpucluster.sandbox.api_server import keeper as child
from gpucluster.sandbox.api_server import keeper as server_keeper
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.live import keeper
from gpucluster.sandbox.live.controllers import Controller
from gpucluster.sandbox.live.supervisor import FOLDER, keeper_of, open_supervisor, stop
from tests.processes import running_for
from tests.waiting import wait_for

READY = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Ready(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()
HTTPServer(("127.0.0.1", int(sys.argv[1])), Ready).serve_forever()
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Path]:
    """The folder of a server that runs."""
    (tmp_path / server_keeper.STATE).write_text("{}")
    yield tmp_path
    stop(tmp_path)
    assert _processes(tmp_path) == []


def _processes(folder: Path) -> list[psutil.Process]:
    return [*running_for(folder)]


def _counting(folder: Path, name: str, *, then: str = "exec sleep 3600") -> Controller:
    """Says each start in its log. The folder is an argument, so that `running_for` finds it."""
    return Controller(name=name, command=["/bin/sh", "-c", f"echo started; {then}", str(folder)])


def _starts(folder: Path, name: str) -> int:
    log = folder / FOLDER / f"{name}.log"
    return log.read_text().count("started") if log.exists() else 0


def test_programs_outlive_the_command_that_starts_them_and_another_finds_them(server: Path) -> None:
    with open_supervisor(server) as first:
        assert first.fresh
        first.run(_counting(server, "one"), _counting(server, "two"))
        wait_for("both start", lambda: _starts(server, "one") and _starts(server, "two"))
    with open_supervisor(server) as second:
        assert not second.fresh
        assert second.names() == ["one", "two"]
        second.end("two")
        assert second.names() == ["one"]
    assert _starts(server, "one") == 1


def test_a_program_that_ends_is_started_again_and_its_log_goes_on(server: Path) -> None:
    with open_supervisor(server) as supervisor:
        supervisor.run(_counting(server, "one", then="exit 1"))
        wait_for("it starts again", lambda: _starts(server, "one") >= 2)


def test_a_log_that_grows_too_long_begins_anew_and_the_one_before_is_kept(server: Path) -> None:
    log = server / FOLDER / "one.log"
    loop = "i=0; while :; do i=$((i+1)); echo $i; sleep 0.05; done"
    with open_supervisor(server) as supervisor:
        supervisor.run(_counting(server, "one", then=loop))
        wait_for("it starts", lambda: _starts(server, "one") == 1)
        with log.open("a") as written:
            written.write("x" * child.LOG_BYTES)
        wait_for("a new log", lambda: child.older(log).exists() and "x" not in log.read_text() and log.read_text())
    assert "started" in child.older(log).read_text()
    assert log.stat().st_size < 10_000, "it goes on from its beginning"


def test_another_command_is_another_program(server: Path) -> None:
    with open_supervisor(server) as supervisor:
        supervisor.run(_counting(server, "one"))
        wait_for("it starts", lambda: _starts(server, "one") == 1)
        supervisor.run(_counting(server, "one", then="echo other; exec sleep 3600"))
        wait_for("the other starts", lambda: "other" in (server / FOLDER / "one.log").read_text())


def test_run_waits_until_the_program_is_ready(server: Path) -> None:
    port = server_keeper.free_port()
    with open_supervisor(server) as supervisor:
        supervisor.run(Controller(name="one", command=[sys.executable, "-c", READY, str(port)], ready=port))


def test_one_that_never_is_ready_is_named_with_its_last_words(server: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucluster.sandbox.live.supervisor._READY_SECONDS", 0.0)
    log, command = server / FOLDER / "one.log", ["/bin/sh", "-c", "echo no room left; exec sleep 3600", str(server)]
    with open_supervisor(server) as supervisor:
        supervisor.run(Controller(name="one", command=command))
        wait_for("its words", lambda: log.exists() and log.read_text())
        with pytest.raises(EngineError) as caught:
            supervisor.run(Controller(name="one", command=command, ready=server_keeper.free_port()))
    assert str(caught.value) == f"one does not start; the end of {log}:\n  no room left"


def test_what_a_killed_keeper_has_started_ends_with_it_and_the_next_command_starts_clean(server: Path) -> None:
    with open_supervisor(server) as supervisor:
        supervisor.run(_counting(server, "one"))
        wait_for("it starts", lambda: _starts(server, "one") == 1)
        pid = keeper_of(server / FOLDER)
        assert pid is not None
        psutil.Process(pid).kill()
        wait_for("all have ended", lambda: not _processes(server))
    with open_supervisor(server) as next_one:
        assert next_one.fresh
        assert next_one.names() == []


def test_the_keeper_holds_no_file_of_the_shell_that_starts_it(server: Path) -> None:
    reads, writes = os.pipe()
    os.set_inheritable(writes, True)
    os.set_blocking(reads, False)
    with open_supervisor(server):
        os.close(writes)
        assert os.read(reads, 1) == b"", "it has ended"
    os.close(reads)


def test_nobody_uses_it_for_a_while_and_it_ends(server: Path) -> None:
    with open_supervisor(server, idle_minutes=0.01) as supervisor:
        # It starts again after two seconds, more than three times as long as nobody may use it.
        supervisor.run(_counting(server, "one", then="exit 1"))
        wait_for("it starts again", lambda: _starts(server, "one") >= 2)
        assert keeper_of(server / FOLDER) is not None, "it is in use"
    wait_for("all have ended", lambda: not _processes(server))


def test_the_supervisor_ends_with_its_server(server: Path) -> None:
    with open_supervisor(server) as supervisor:
        supervisor.run(_counting(server, "one"))
        (server / server_keeper.STATE).unlink()
        wait_for("all have ended", lambda: not _processes(server))


def test_stop_ends_all_and_says_whether_there_was_any(server: Path) -> None:
    with open_supervisor(server) as supervisor:
        supervisor.run(_counting(server, "one"))
    assert stop(server)
    assert _processes(server) == []
    assert not (server / FOLDER / keeper.STATE).exists()
    assert not stop(server)


def test_stop_waits_for_the_process_of_the_server_which_holds_no_lock_between(server: Path) -> None:
    with open_supervisor(server) as supervisor:
        supervisor.run(_counting(server, "one"))
    ends = (
        "import pathlib, sys, time; folder = pathlib.Path(sys.argv[1]); (folder / 'begun').touch(); time.sleep(2); "
        "(folder / 'ended').touch()"
    )
    with subprocess.Popen([sys.executable, "-c", ends, str(server)]) as process:
        wait_for(
            "it starts", (server / "begun").exists, of=process
        )  # while it is being started it has no command line yet
        (server / server_keeper.STATE).write_text(json.dumps({"pid": process.pid}))
        assert stop(server)
        assert (server / "ended").exists()
    assert process.returncode == 0
