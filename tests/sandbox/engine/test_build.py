from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.find import build_engine, rebuild_engine

Write = Callable[[str, str], Path]
GoCalls = Callable[[], list[dict[str, Any]]]

VERSION = 'if sys.argv[1] == "version": sys.exit(print("go version go1.26.6 linux/amd64"))\n'

ADVICE = """\
The Pulumi engine is missing and could not be built: go build failed: {reason}
Install one of these and run the command again:
  Pulumi at least 3.250.0 and below 4.0.0: https://www.pulumi.com/docs/install/
  Go 1.25.11 or newer, with access to a Go module proxy (GOPROXY): https://go.dev/doc/install"""


@pytest.fixture
def destination(tmp_path: Path) -> Path:
    folder = tmp_path / "destination"
    folder.mkdir()
    return folder


def test_the_engine_is_built_from_the_committed_module_with_its_version(
    destination: Path, cache_folder: Path, go: Path, go_calls: GoCalls, said: list[str]
) -> None:
    build_engine(destination, cache_folder, said.append)
    (call,) = go_calls()
    assert call["arguments"] == [
        *("build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-v"),
        *("-ldflags", "-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.259.0"),
        *("-o", str(destination / "pulumi"), "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"),
    ]
    assert call["files"] == ["go.mod", "go.sum"]
    assert {name: call["environment"][name] for name in ("GOTOOLCHAIN", "CGO_ENABLED", "GOWORK")} == {
        "GOTOOLCHAIN": "local",
        "CGO_ENABLED": "0",
        "GOWORK": "off",
    }
    assert sorted(path.name for path in destination.iterdir()) == ["pulumi", "pulumi-language-python"]
    assert said[0] == (
        f"Building Pulumi 3.259.0 with {go}: "
        "about 5 minutes on 2 cores and 3 GB in Go's caches the first time, seconds after that."
    )


def test_a_failed_build_tells_its_reason_and_what_to_install(
    destination: Path, cache_folder: Path, write_command: Write, said: list[str]
) -> None:
    log = "go: downloading a.example/b v1.0.0\\na.example/b/c\\n# a.example/b\\nb.go:1: no such thing\\n"
    write_command("go", f'{VERSION}print("{log}"); sys.exit(1)')
    with pytest.raises(EngineError) as caught:
        build_engine(destination, cache_folder, said.append)
    assert str(caught.value) == ADVICE.format(reason="\n  # a.example/b\n  b.go:1: no such thing")


def test_a_build_that_fails_without_a_word_says_so(
    destination: Path, cache_folder: Path, write_command: Write, said: list[str]
) -> None:
    write_command("go", f"{VERSION}sys.exit(1)")
    with pytest.raises(EngineError) as caught:
        build_engine(destination, cache_folder, said.append)
    assert str(caught.value) == ADVICE.format(reason="it gave no reason")


@pytest.mark.usefixtures("go")
def test_the_launcher_starts_the_language_host_of_the_checkout_that_runs_the_engine(
    destination: Path, cache_folder: Path, write_command: Write, said: list[str]
) -> None:
    build_engine(destination, cache_folder, said.append)
    python = write_command("python-of-a-checkout", "print(sys.argv[1:])")
    launcher = destination / "pulumi-language-python"
    done = subprocess.run(
        [launcher, "127.0.0.1:1234"],
        env=dict(os.environ) | {"GPUCLUSTER_PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['-P', '-m', 'gpucluster.sandbox.engine.language_host', '127.0.0.1:1234']\n"


@pytest.mark.usefixtures("go")
def test_the_launcher_without_a_checkout_says_how_to_run_the_engine(
    destination: Path, cache_folder: Path, said: list[str]
) -> None:
    build_engine(destination, cache_folder, said.append)
    done = subprocess.run([destination / "pulumi-language-python"], env={}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "This Pulumi engine belongs to the sandbox: run it as 'gpucluster sandbox pulumi ...'.\n",
    )


@pytest.mark.slow
@pytest.mark.skipif("GPUCLUSTER_TEST_BUILD" not in os.environ, reason="set GPUCLUSTER_TEST_BUILD to build for real")
def test_the_real_module_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    monkeypatch.setenv("GPUCLUSTER_CACHE", str(tmp_path))
    engine = rebuild_engine(say=said.append)
    done = subprocess.run([engine.binary, "version"], capture_output=True, text=True, check=True)
    assert done.stdout == "v3.259.0\n"
