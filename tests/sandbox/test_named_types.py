"""The types that a command may be about."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.sandbox.arguments import CommandLine
from gpucluster.sandbox.named_types import named_types
from gpucluster.sandbox.project import Project

PROGRAM = "name: small\nruntime: {runtime}\nresources: {{a: {{type: 'aws:ec2:Vpc'}}}}\n"


@pytest.mark.parametrize(
    ("runtime", "args", "found"),
    [
        ("yaml", ("up",), {"aws:ec2:Vpc", "gcp:compute/network:Network"}),
        ("python", ("up",), set()),
        ("python", ("import", "aws:iam/role:Role", "a", "b:c"), {"aws:iam/role:Role", "b:c"}),
        ("python", ("import", "--file", "FILE"), {"random:RandomPassword"}),
        ("python", ("import", "--file", "missing.json"), set()),
        ("python", ("up", "--file", "FILE"), set()),
    ],
)
def test_types_are_named_by_the_command_its_file_and_a_program_in_yaml(
    tmp_path: Path, runtime: str, args: tuple[str, ...], found: set[str]
) -> None:
    (tmp_path / "Pulumi.yaml").write_text(PROGRAM.format(runtime=runtime))
    (tmp_path / "more.yaml").write_text("resources: {b: {type: gcp:compute/network:Network}}\n")
    file = tmp_path / "wanted.json"
    file.write_text('{"resources": [{"type": "random:RandomPassword"}]}')
    line = CommandLine.of([str(file) if arg == "FILE" else arg for arg in args])
    assert named_types(Project(tmp_path / "Pulumi.yaml"), line) == found
