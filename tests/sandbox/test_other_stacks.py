"""Outputs of stacks of other projects, and what data sources say, by a scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.errors import InputError
from gpucluster.sandbox.other_stacks import put_other_stacks
from gpucluster.sandbox.project import Project, find_project
from gpucluster.sandbox.scenario_file import read_scenario

from .conftest import PulumiProject

_PROGRAM = """
    import pulumi
    import pulumi_aws as aws

    network = pulumi.StackReference("organization/network/prod")
    image = aws.ec2.get_ami(owners=["amazon"], most_recent=True)
    pulumi.export("vpc", network.require_output("vpc"))
    pulumi.export("image", image.id)
    pulumi.export("region", image.region)
"""
_SCENARIO = """
    stacks:
      organization/network/prod: {vpc: vpc-0123456789abcdef0}
    data:
      - function: aws:ec2/getAmi:getAmi
        args: {owners: [amazon]}
        result: {id: ami-0123456789abcdef0}
"""


@pytest.mark.engine
def test_a_program_reads_what_the_scenario_says(project: PulumiProject) -> None:
    project.write(_PROGRAM)
    file = project.root / "scenario.yaml"
    file.write_text(_SCENARIO)
    done = project.run("--scenario", str(file), "pulumi", "up", "--yes", "--skip-preview", "--stack", "dev")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "made up" not in done.stdout
    assert project.outputs() == {
        "vpc": "vpc-0123456789abcdef0",
        "image": "ami-0123456789abcdef0",
        "region": "us-east-1",
    }


def test_a_stack_of_the_project_itself_is_made_by_its_own_up(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    project = find_project(tmp_path)
    assert isinstance(project, Project)
    with pytest.raises(InputError, match=r"organization/small/prod, which belongs to this project"):
        put_other_stacks(project, {"organization/small/prod": {}})


@pytest.mark.parametrize("name", ["prod", "acme/network/prod", "organization//prod", "organization/../prod"])
def test_a_name_that_no_program_could_use_here_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(f"stacks: {{{name}: {{}}}}\n")
    with pytest.raises(InputError, match=f"stacks.{name} is not a stack name here; write organization/PROJECT/STACK"):
        read_scenario(file)
