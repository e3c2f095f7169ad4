"""What the components register, without an engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

from gpucluster.components.aws.cloud import CLOUD
from gpucluster.components.aws.location import Location
from gpucluster.components.planning.planning import Prices
from gpucluster.components.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[3]
HERE = Location(region="us-east-1", zone="us-east-1a")


class Recorder(Mocks):
    """Remembers every registration and answers with its inputs and a few computed values."""

    def __init__(self) -> None:
        self.seen: dict[str, MockResourceArgs] = {}

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen[args.name] = args
        computed: dict[str, Any] = {}
        if args.typ == "aws:eks/cluster:Cluster":
            computed = {
                "arn": "arn:aws:eks:us-east-1:000000000000:cluster/trial",
                "endpoint": "https://cluster.example",
                "certificateAuthority": {"data": "Y2VydA=="},
                "vpcConfig": {**args.inputs["vpcConfig"], "clusterSecurityGroupId": "sg-cluster"},
            }
        elif args.typ == "aws:ec2/launchTemplate:LaunchTemplate":
            computed = {"latestVersion": 1}
        elif args.typ == "aws:eks/nodeGroup:NodeGroup":
            computed = {"resources": [{"autoscalingGroups": [{"name": f"eks-{args.name}"}]}]}
        elif args.typ == "aws:ecr/repository:Repository":
            computed = {
                "arn": f"arn:aws:ecr:us-east-1:000000000000:repository/{args.inputs['name']}",
                "repositoryUrl": f"000000000000.dkr.ecr.us-east-1.amazonaws.com/{args.inputs['name']}",
            }
        elif args.typ == "aws:amp/workspace:Workspace":
            computed = {"prometheusEndpoint": "https://metrics.example/"}
        elif args.typ == "aws:fsx/lustreFileSystem:LustreFileSystem":
            computed = {"dnsName": "fs.example", "mountName": "abcd1234"}
        elif args.typ == "aws:s3/bucket:Bucket":
            computed = {"bucket": args.name}
        elif args.typ == "aws:sqs/queue:Queue":
            computed = {"url": f"https://sqs.us-east-1.amazonaws.com/000000000000/{args.name}"}
        return f"{args.name}-id", {
            "name": args.name,
            "arn": f"arn:aws:mock:us-east-1:000000000000:{args.name}",
            **args.inputs,
            **computed,
        }

    def call(self, args: MockCallArgs) -> Any:
        # The mocks give an id in a preview as well.
        if args.token == "aws:ec2/getNatGateway:getNatGateway":
            return {"state": "available"}
        raise AssertionError(f"a preview must ask no cloud: {args.token}")


def _register(*, prices: Prices | None = None, **changes: object) -> dict[str, MockResourceArgs]:
    """Registrations by name of a cluster like the trial's with some fields of the spec changed."""
    from gpucluster.components.aws.cluster import TrainingCluster

    recorder = Recorder()
    pulumi.runtime.set_mocks(recorder, project="gpucluster", stack="aws-trial", preview=False)
    trial = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
    spec = ClusterSpec.model_validate({**trial, **changes})
    plan = CLOUD.plan_cluster(spec, HERE, stack="aws-trial", prices=prices)

    @pulumi.runtime.test
    def declare() -> None:
        TrainingCluster(plan.name, plan)

    declare()
    return recorder.seen


@pytest.fixture(scope="session")
def register() -> Callable[..., dict[str, MockResourceArgs]]:
    """`register(**changes)`: registrations by name of a cluster like the trial's with some fields changed."""
    return _register
