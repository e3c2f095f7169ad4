from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from gpucluster.sandbox.engine.engine import Engine, EngineError
from gpucluster.sandbox.engine.language_host.start import start_language_host
from gpucluster.sandbox.machine.disk import scratch_folder
from tests.waiting import LIMIT, output_of, wait_for, wait_for_end

pytestmark = pytest.mark.engine

SLEEPER = (
    "import os, time\nfrom pathlib import Path\n"
    "Path('pid.new').write_text(str(os.getpid()))\nPath('pid.new').rename('pid')\ntime.sleep(3600)\n"
)


def paper(folder: Path, language_host: Path | None) -> Engine:
    return Engine(folder / "pulumi", "3.259.0", "built" if language_host else "release", language_host)


def sleeping_program(project: Any) -> psutil.Process:
    """The process of a program that has started to sleep."""
    pid = project.folder / "pid"
    wait_for("the program sleeps", pid.exists)
    return psutil.Process(int(pid.read_text()))


def test_the_engine_is_told_where_its_parts_are(tmp_path: Path) -> None:
    engine = paper(tmp_path, language_host=tmp_path)
    with start_language_host(engine, os.environ) as host:
        environment = host.environment({"PATH": "/bin", "HOME": "/home/me"})
        assert host.process is not None
        (connection,) = psutil.Process(host.process.pid).net_connections("tcp")
        assert environment == {
            "PATH": f"{tmp_path}{os.pathsep}/bin",
            "HOME": "/home/me",
            "GPUCLUSTER_PYTHON": sys.executable,
            "PULUMI_DEBUG_LANGUAGES": f"python:{connection.laddr.port}",
        }
        assert connection.laddr.ip.removeprefix("::ffff:") == "127.0.0.1"


@pytest.mark.parametrize(("variables", "forked"), [({}, "true"), ({"GPUCLUSTER_NO_FORK": "1"}, "false")])
def test_a_program_is_forked_from_a_warm_process_or_started_by_its_interpreter(
    project: Any, variables: dict[str, str], forked: str
) -> None:
    started = replace(project, environment={**project.environment, **variables})
    started.write(
        {
            "__main__.py": "import multiprocessing, pulumi\n"
            "pulumi.export('forked', multiprocessing.parent_process() is not None)\n"
        }
    )
    code, shown = started.preview()
    assert (code, f"forked: {forked}" in shown) == (0, True), shown


def test_an_engine_that_brings_its_own_language_host_gets_none(tmp_path: Path) -> None:
    with start_language_host(paper(tmp_path, language_host=None), os.environ) as host:
        assert host.process is None
        assert host.environment({}) == {"PATH": str(tmp_path)}


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """An empty temporary folder for this test alone, with a path that is short enough for sockets."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(folder)


@pytest.mark.parametrize("end", [None, signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_host_leaves_nothing_in_the_temporary_folder(
    tmp_path: Path, temporary: Path, end: signal.Signals | None
) -> None:
    with start_language_host(paper(tmp_path, language_host=tmp_path), os.environ) as host:
        host.environment({})
        assert host.process is not None
        assert len([*temporary.glob("sandbox-*/listener-*")]) == 1
        if end is not None:
            host.process.send_signal(end)
            host.process.wait(LIMIT)
    if end == signal.SIGKILL:
        # The next run removes it.
        with scratch_folder():
            pass
    assert [*temporary.iterdir()] == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux sends a signal to a thread of another process")
def test_a_signal_that_another_thread_receives_ends_a_host_too(tmp_path: Path) -> None:
    with start_language_host(paper(tmp_path, language_host=tmp_path), os.environ) as host:
        host.environment({})
        assert host.process is not None
        *_, last = psutil.Process(host.process.pid).threads()
        assert last.id != host.process.pid
        ctypes.CDLL(None).tgkill(host.process.pid, last.id, signal.SIGTERM)
        assert host.process.wait(LIMIT) == 0


def test_a_host_that_does_not_start_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with (
        start_language_host(paper(tmp_path, tmp_path), {"PYTHONHOME": "/nonexistent"}) as host,
        pytest.raises(EngineError) as caught,
    ):
        host.environment({})
    assert str(caught.value) == (
        "The Python language host did not start (it said 'nothing'; expected a port).\n"
        f"Is the environment complete? {sys.executable} -P -m gpucluster.sandbox.engine.language_host shows why; "
        "`make` installs it again."
    )
    assert "encodings" in capfd.readouterr().err


def test_two_commands_at_once_have_hosts_of_their_own(project: Any) -> None:
    project.write({"__main__.py": "import os, pulumi\npulumi.export('host', os.getppid())\n"})
    with project.started("preview", "--stack", "dev") as one, project.started("preview", "--stack", "dev") as two:
        texts = [output_of(process)[0] for process in (one, two)]
    hosts = [line for text in texts for line in text.splitlines() if line.startswith("    host: ")]
    assert len(hosts) == len(set(hosts)) == 2


def test_an_interrupted_command_ends_its_program(project: Any) -> None:
    project.write({"__main__.py": SLEEPER})
    with project.started("preview", "--stack", "dev") as process:
        program = sleeping_program(project)
        process.send_signal(signal.SIGINT)
        output, _ = output_of(process)
    wait_for_end([program])
    assert (process.returncode, output.count("error: preview canceled")) == (1, 2)


def test_everything_dies_with_the_process_that_started_the_host(project: Any) -> None:
    project.write({"__main__.py": SLEEPER})
    code = (
        "import os, subprocess, sys\n"
        "from pathlib import Path\n"
        "from gpucluster.sandbox.engine.language_host.start import start_language_host\n"
        "from gpucluster.sandbox.engine.engine import Engine\n"
        "folder = Path(sys.argv[1])\n"
        "with start_language_host(Engine(folder / 'pulumi', '', 'built', folder), os.environ) as host:\n"
        "    environment = host.environment(os.environ)\n"
        "    subprocess.run([folder / 'pulumi', 'preview', '--stack', 'dev'], env=environment)\n"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", code, project.engine.binary.parent],
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    program = sleeping_program(project)
    started = [child for child in psutil.Process(starter.pid).children(recursive=True) if child.name() != "pulumi"]
    assert program in started
    starter.kill()
    starter.wait()
    wait_for_end(started)


def test_without_a_host_that_waits_the_engine_starts_one_itself(project: Any) -> None:
    launcher = project.engine.binary.parent / "pulumi-language-python"
    if "gpucluster.sandbox.engine.language_host" not in launcher.read_text(errors="replace"):
        pytest.skip("this machine's engine brings its own language host")
    project.write({"__main__.py": "import sys, pulumi\nprint('hello')\npulumi.export('python', sys.executable)\n"})
    done = subprocess.run(
        [project.engine.binary, "preview", "--stack", "dev", "--non-interactive", "--color", "never"],
        cwd=project.folder,
        env=dict(project.environment) | {"GPUCLUSTER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    summary = done.stdout[done.stdout.index("Diagnostics:") :]
    assert (done.returncode, done.stderr, summary) == (
        0,
        "",
        "Diagnostics:\n  pulumi:pulumi:Stack (tiny-dev):\n    hello\n\n"
        f'Outputs:\n    python: "{sys.executable}"\n\nResources:\n    + 1 to create\n\n',
    )
