"""What a stack's configuration and a command line say of a place."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.components.stack_config import _elsewhere, stack_config

SPEC = Path(__file__).parents[1] / "stacks" / "bad" / "spec.yaml"


def test_a_spec_with_a_nul_is_no_path(tmp_path: Path) -> None:
    values = {"gpucluster:spec": "specs/\0.yaml", "gpucluster:cloud": "aws", "gpucluster:region": "us-east-1"}
    config = stack_config(values, project="gpucluster", stack="dev", program=tmp_path, root=tmp_path)
    problem = (
        "gpucluster:spec is 'specs/\\x00.yaml', which contains a NUL character; write the path of a file, such "
        "as specs/trial.yaml"
    )
    assert (problem in map(config.named, config.problems), config.spec) == (True, None)


SETTING = "; it is a key of a stack's configuration: write it there, and check the stack with --stack"


@pytest.mark.parametrize(
    ("change", "options", "beginning", "end"),
    [
        (("nodes: 4 ", "nodes: 200 "), [], "  scaleSetLimit is 100, and training.nodes and ", SETTING),
        (("    protect", "    bucket: https://a.blob.core.windows.net/c\n    protect"), [],
         "  bucketGroup is missing, and storage.shared.bucket is set", SETTING),
        (("nodes: 4 ", "nodes: 4 "), ["--machine", "x"], "  --machine is 'x'; with accelerator h100: ", "_v5"),
        (("nodes: 4 ", "nodes: 4 "), ["--zone", "9"], "  --zone is '9'; write the number of a zone", "; or none"),
    ],
)  # fmt: skip
def test_a_command_line_is_asked_only_for_options_that_it_has(
    tmp_path: Path, change: tuple[str, str], options: list[str], beginning: str, end: str
) -> None:
    text = SPEC.read_text()
    assert change[0] in text
    (tmp_path / "spec.yaml").write_text(text.replace(*change))
    done = CliRunner().invoke(main, ["check", str(tmp_path / "spec.yaml"), "--cloud", "azure", *options])
    line = done.stderr.splitlines()[1]
    assert (done.exit_code, line.startswith(beginning), line.endswith(end)) == (2, True, True), done.stderr


def test_a_key_of_a_similar_namespace_is_offered_as_a_correction() -> None:
    assert _elsewhere("gpucluster:region", {"gpuclster:region": "x"}) == ", or correct gpuclster:region"
    assert _elsewhere("gpucluster:region", {"gpucluster:regio": "x", "aws:zone": "y"}) == ""
