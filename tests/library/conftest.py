"""Programs that use the library, in the sandbox and without an engine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

PROJECT = "name: mine\nruntime: {{name: python, options: {{virtualenv: {virtualenv}}}}}\n"


@dataclass(frozen=True)
class Done:
    code: int
    text: str


@pytest.fixture
def sandbox(tmp_path: Path) -> Callable[..., Done]:
    """`sandbox(program, *command)`: what a Pulumi command does with a program in a project of its own. scenario: of
    the clouds.
    """
    (tmp_path / "Pulumi.yaml").write_text(PROJECT.format(virtualenv=sys.prefix))
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {aws:region: us-east-1}\n")

    def run(program: str, *command: str, scenario: str = "") -> Done:
        (tmp_path / "__main__.py").write_text(program)
        (tmp_path / "scenario.yaml").write_text(scenario)
        under = ["--scenario", "scenario.yaml"] if scenario else []
        done = subprocess.run(
            [Path(sys.prefix) / "bin" / "gpucluster", "sandbox", *under, "pulumi", *command, "--stack", "dev"],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout)

    return run


class Recorder(Mocks):
    """A cloud that answers with what it was given, and remembers it."""

    def __init__(self) -> None:
        self.seen: list[MockResourceArgs] = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen.append(args)
        computed: dict[str, Any] = {}
        if args.typ == "aws:eks/cluster:Cluster":
            group = {"clusterSecurityGroupId": "sg-cluster"}
            computed = {"endpoint": "https://cluster.example", "certificateAuthority": {"data": "Y2VydA=="}}
            computed["vpcConfig"] = {**args.inputs["vpcConfig"], **group}
        elif args.typ == "aws:ec2/launchTemplate:LaunchTemplate":
            computed = {"latestVersion": 1}
        elif args.typ == "aws:ecr/repository:Repository":
            computed = {"repositoryUrl": f"000000000000.dkr.ecr.us-east-1.amazonaws.com/{args.inputs['name']}"}
        elif args.typ == "aws:amp/workspace:Workspace":
            computed = {"prometheusEndpoint": "https://metrics.example/"}
        elif args.typ == "azure-native:containerservice:ManagedCluster":
            # Asked for as a list, told as a mapping.
            computed = {
                "identity": {"type": "UserAssigned"},
                "identityProfile": {"kubeletidentity": {"objectId": "kubelet"}},
            }
        return f"{args.name}-id", {
            "name": args.name,
            "arn": f"arn:aws:mock::000000000000:{args.name}",
            **args.inputs,
            **computed,
        }

    def call(self, args: MockCallArgs) -> Any:
        # The mocks give an id in a preview as well.
        if args.token == "aws:ec2/getNatGateway:getNatGateway":
            return {"state": "available"}
        raise AssertionError(f"a program must ask no cloud: {args.token}")


@dataclass
class Declared:
    """Runs programs in stack `dev` of project `mine`. seen: what the last one registered, also if it was refused."""

    seen: list[MockResourceArgs] = field(default_factory=list[MockResourceArgs])

    def __call__(self, program: Callable[[], object]) -> list[MockResourceArgs]:
        recorder = Recorder()
        pulumi.runtime.set_mocks(recorder, project="mine", stack="dev", preview=True)
        self.seen = recorder.seen

        @pulumi.runtime.test
        def started() -> None:
            program()

        started()
        return self.seen


@pytest.fixture
def declared() -> Declared:
    return Declared()


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What programs log, each with its level."""
    texts: list[str] = []
    for level in ("info", "warn"):
        monkeypatch.setattr(pulumi.log, level, lambda text, level=level: texts.append(f"{level}: {text}"))
    return texts
