"""Where an engine finds the language hosts of other Pulumi programs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpucluster.sandbox.engine.engine import Engine
from gpucluster.sandbox.engine.hosts import host_of_engine, host_on_path, link_host


def _program(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def test_a_host_of_engine_the_engine_counts_also_through_a_link_to_the_engine(tmp_path: Path) -> None:
    release = _program(tmp_path / "release/pulumi")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/pulumi").symlink_to(release)
    engine = Engine(binary=tmp_path / "bin/pulumi", version="3.259.0", origin="PATH", language_host=None)
    assert host_of_engine(engine, "nodejs") is None
    host = _program(tmp_path / "release/pulumi-language-nodejs")
    assert host_of_engine(engine, "nodejs") == host


def test_a_host_on_the_path_is_linked_and_the_link_follows_a_newer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path / "one"), str(tmp_path / "two"))))
    assert host_on_path("go") is None
    two = _program(tmp_path / "two/pulumi-language-go")
    link = tmp_path / "home/plugins/language-go-v3.259.0/pulumi-language-go"
    assert host_on_path("go") == two
    for _ in range(2):
        link_host(tmp_path / "home", "go", "3.259.0", two)
        assert link.readlink() == two
    one = _program(tmp_path / "one/pulumi-language-go")
    assert host_on_path("go") == one
    link_host(tmp_path / "home", "go", "3.259.0", one)
    assert link.readlink() == one
