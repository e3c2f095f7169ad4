from __future__ import annotations

import platform
import re

import pytest

from gpucluster.sandbox.engine import engine
from gpucluster.sandbox.engine.engine import EngineError


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v3.259.0", (3, 259, 0)),
        ("3.251.0-alpha.x1234", (3, 251, 0)),
        ("go version go1.26.8 linux/amd64", (1, 26, 8)),
        ("go version go1.27rc1 linux/amd64", (1, 27, 0)),
        ("command not found", None),
    ],
)
def test_versions_are_read_from_what_tools_print(text: str, version: engine.Version | None) -> None:
    assert engine.parse_version(text) == version


@pytest.mark.parametrize(
    ("version", "accepted"), [((3, 249, 9), False), ((3, 250, 0), True), ((3, 999, 0), True), ((4, 0, 0), False)]
)
def test_the_accepted_range_starts_at_3_250_and_ends_before_4(version: engine.Version, accepted: bool) -> None:
    assert engine.is_accepted(version) is accepted


def test_our_own_version_is_in_the_accepted_range() -> None:
    version = engine.parse_version(engine.VERSION)
    assert version is not None and engine.is_accepted(version)


def test_every_platform_has_a_checksum_of_its_own() -> None:
    assert sorted(engine.SHA256) == ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"]
    assert all(re.fullmatch("[0-9a-f]{64}", value) for value in engine.SHA256.values())
    assert len(set(engine.SHA256.values())) == 4


def test_a_platform_without_an_engine_is_named_with_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Windows")
    monkeypatch.setattr(platform, "machine", lambda: "AMD64")
    with pytest.raises(EngineError) as caught:
        engine.this_platform()
    assert str(caught.value) == (
        "There is no Pulumi engine for Windows on AMD64: supported are darwin-arm64, darwin-x64, "
        "linux-arm64, linux-x64.\n"
        "On Windows use WSL (the Windows Subsystem for Linux)."
    )
