"""Which commands of Pulumi leave a state that later damage is measured by."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.sandbox import run
from gpucluster.sandbox.arguments import CommandLine
from gpucluster.sandbox.project import Project


@pytest.mark.parametrize(
    ("args", "with_sound", "with_damaged"),
    [
        ("up", True, True),
        ("destroy", True, True),
        ("stack rm", True, False),
        ("state delete urn", True, False),
        ("config set a b", False, False),
        ("about", False, False),
    ],
)
def test_a_state_is_taken_after_a_program_and_after_an_edit_of_a_sound_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: str, with_sound: bool, with_damaged: bool
) -> None:
    project = Project(tmp_path / "Pulumi.yaml")
    for sound, expected in ((True, with_sound), (False, with_damaged)):
        monkeypatch.setattr(run, "is_sound", lambda *_, sound=sound: sound)
        assert run._may_change(project, CommandLine.of(args.split()), "dev") is expected
