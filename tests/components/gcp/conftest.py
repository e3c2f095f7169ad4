"""What a model refuses, and what a program registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pulumi
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

from components.kubernetes.objects import Spec, check
from components.plan import PlanError

Registered = list[tuple[str, str, dict[str, Any]]]


class Recorder(Mocks):
    def __init__(self) -> None:
        self.seen: Registered = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen.append((args.typ, args.name, args.inputs))
        known: dict[str, str] = {}
        if args.typ == "gcp:serviceaccount/account:Account":
            email = f"{args.inputs['accountId']}@{args.inputs['project']}.iam.gserviceaccount.com"
            known = {
                "email": email,
                "member": f"serviceAccount:{email}",
                "name": f"projects/{args.inputs['project']}/serviceAccounts/{email}",
            }
        elif args.typ == "gcp:projects/iAMCustomRole:IAMCustomRole":
            known = {"name": f"projects/{args.inputs['project']}/roles/{args.inputs['roleId']}"}
        return args.name, {"name": args.name, **args.inputs, **known, **_computed(args)}

    def call(self, args: MockCallArgs) -> dict[Any, Any]:
        raise AssertionError(args.token)


def _computed(args: MockResourceArgs) -> dict[str, Any]:
    """What the clouds add to the inputs, as far as other resources ask for it."""
    match args.typ:
        case "gcp:container/cluster:Cluster":
            return {"endpoint": "192.0.2.1", "masterAuth": {"clusterCaCertificate": "Y2VydA=="}}
        case "gcp:lustre/instance:Instance":
            return {"mountPoint": f"10.0.64.2@tcp:/{args.inputs['filesystem']}"}
        case "gcp:filestore/instance:Instance":
            return {"networks": [{**network, "ipAddresses": ["10.0.64.9"]} for network in args.inputs["networks"]]}
        case "gcp:storage/bucket:Bucket":
            return {"projectNumber": 123456789}
        case "gcp:projects/serviceIdentity:ServiceIdentity":
            return {"member": "serviceAccount:service-123456789@container-engine-robot.iam.gserviceaccount.com"}
        case _:
            return {}


@pytest.fixture
def registered() -> Callable[[Callable[[], object]], Registered]:
    """Runs a program and gives (type, name, inputs) of all it registers, components left out."""

    def run(program: Callable[[], object]) -> Registered:
        recorder = Recorder()
        pulumi.runtime.set_mocks(recorder, preview=False)

        @pulumi.runtime.test
        def started() -> None:
            program()

        started()
        return [item for item in recorder.seen if not item[0].startswith("gpucluster:")]

    return run


@pytest.fixture
def refused() -> Callable[[type[Spec], Mapping[str, Any]], list[str]]:
    """What a model refuses in a spec; nothing where it takes it."""

    def run(model: type[Spec], spec: Mapping[str, Any]) -> list[str]:
        try:
            check(model, spec, "it", at="spec")
        except PlanError as error:
            return [problem.removeprefix("it: ") for problem in error.problems]
        return []

    return run
