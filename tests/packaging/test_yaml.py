"""What `pip install` brings, used from a program in YAML, whose language host takes minutes to build."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.conftest import ROOT, Environment
from tests.says import Says

pytestmark = [pytest.mark.engine, pytest.mark.slow]


def test_a_program_in_yaml_finds_the_clusters_of_the_wheel(only_gcp: Environment, tmp_path: Path) -> None:
    program = (ROOT / "examples/yaml/gcp/Pulumi.yaml").read_text().replace("../package", "./gpucluster-package")
    (tmp_path / "Pulumi.yaml").write_text(program)
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {}\n")
    wrote = only_gcp.run(tmp_path, "gpucluster", "package")
    assert (wrote.code, wrote.out.splitlines()[-1]) == (0, "  gpucluster: ./gpucluster-package"), wrote.text
    done = only_gcp.run(tmp_path, "gpucluster", "sandbox", "pulumi", "preview", "--stack", "dev")
    assert (done.code, "gpucluster:gcp:TrainingPool trial-training create" in done.out) == (0, True), done.text
    other = program.replace("gpucluster:gcp:", "gpucluster:aws:").replace("project: my-project", "zone: us-east-1a")
    (tmp_path / "Pulumi.yaml").write_text(other.replace("zone: us-central1-b", "second_zone: us-east-1b"))
    refused = only_gcp.run(tmp_path, "gpucluster", "sandbox", "pulumi", "preview", "--stack", "dev")
    assert refused.text == Says("gpucluster.aws", "pulumi-aws", "pulumi-aws>=7.15,<8")
