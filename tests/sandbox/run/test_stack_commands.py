"""`gpucluster sandbox pulumi stack rename`, on the real engine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.damage import differences

pytestmark = [pytest.mark.engine, pytest.mark.checkpoints]

# The SDK's import would take longer than all the rest.
PROGRAM = """
    import pulumi
    from pulumi import CustomResource, Output, ResourceOptions

    vpc = CustomResource("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"})
    if not pulumi.Config().get_bool("without"):
        kept = ResourceOptions(retain_on_delete=True)
        secret = Output.secret("open sesame")
        CustomResource("aws:ssm/parameter:Parameter", "key", {"type": "SecureString", "value": secret}, kept)
"""


def _refused(project: Any, *command: str) -> str:
    done = project.run("pulumi", "stack", "rename", *command)
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith(("SIMULATED", "Engine "))]
    assert (done.returncode, done.stdout) == (2, "")
    return line


def _stacks(project: Any) -> list[str]:
    return [stack["name"] for stack in json.loads(project.run("pulumi", "stack", "ls", "--json").stdout)]


@pytest.mark.slow
def test_a_renamed_stack_keeps_its_resources_secrets_and_what_it_released(project: Any) -> None:
    project.write(PROGRAM)
    project.pulumi("up", "--yes", "--skip-preview")
    project.write(PROGRAM, **{"small:without": "true"})
    project.pulumi("up", "--yes", "--skip-preview")
    before = project.ledger()
    files = project.tree()
    assert "run `mv stacks/Pulumi.dev.yaml stacks/Pulumi.prod.yaml`" in _refused(project, "prod", "--stack", "dev")
    assert (_stacks(project), project.tree(), project.ledger()) == (["dev"], files, before)

    (project.root / "stacks/Pulumi.dev.yaml").rename(project.root / "stacks/Pulumi.prod.yaml")
    done = project.run("pulumi", "stack", "rename", "prod", "--stack", "dev")
    assert done.returncode == 0, done.stderr
    assert _stacks(project) == ["prod"]
    assert project.run("pulumi", "stack", "--show-name").stdout.strip() == "prod"
    after = project.ledger()
    assert [(entry.id, entry.inputs) for entry in after] == [(entry.id, entry.inputs) for entry in before]
    assert {entry.urn.split(":")[2] for entry in after if "Vpc" in entry.type} == {"prod"}
    found = {each.stack: each for each in differences(Project(project.root / "Pulumi.yaml"))}
    assert [len(each.kept) for each in found.values() if each.kept] == [1]
    assert not any(found.values())
    assert project.run("recover").stdout == ""
    assert project.run("pulumi", "preview", "--expect-no-changes").returncode == 0
    assert project.run("pulumi", "destroy", "--yes", "--skip-preview").returncode == 0
    assert [entry.type for entry in project.ledger()] == ["aws:ssm/parameter:Parameter"]


def test_a_rename_that_cannot_be_done_says_why(project: Any) -> None:
    project.write(PROGRAM)
    for name in ("dev", "two"):
        assert project.run("pulumi", "stack", "init", name).returncode == 0
    assert _refused(project, "three", "--stack", "four") == "error: the sandbox has no stack 'four'"
    assert _refused(project, "two", "--stack", "dev") == "error: the stack 'two' exists already"
    assert "'other/small/three' is no name of a stack" in _refused(project, "other/small/three", "--stack", "dev")
    assert "'a b' is no name of a stack" in _refused(project, "a b", "--stack", "dev")
    assert sorted(_stacks(project)) == ["dev", "two"]
