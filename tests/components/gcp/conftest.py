"""What Google Cloud answers to a program."""

from __future__ import annotations

from typing import Any

import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

_DNS_NAME = "gke-abc.us-central1.gke.goog"
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
                "uniqueId": "100000000000000123456",
            }
        elif args.typ == "gcp:projects/iAMCustomRole:IAMCustomRole":
            known = {"name": f"projects/{args.inputs['project']}/roles/{args.inputs['roleId']}"}
        return args.name, {"name": args.name, **args.inputs, **known, **_computed(args)}

    def call(self, args: MockCallArgs) -> Any:
        raise AssertionError(args.token)


def _computed(args: MockResourceArgs) -> dict[str, Any]:
    """What the clouds add to the inputs, as far as other resources ask for it."""
    match args.typ:
        case "gcp:container/cluster:Cluster":
            dns = {**args.inputs["controlPlaneEndpointsConfig"]["dnsEndpointConfig"], "endpoint": _DNS_NAME}
            return {
                "endpoint": "192.0.2.1",
                "masterAuth": {"clusterCaCertificate": "Y2VydA=="},
                "controlPlaneEndpointsConfig": {"dnsEndpointConfig": dns},
            }
        case "gcp:lustre/instance:Instance":
            return {"mountPoint": f"10.0.64.2@tcp:/{args.inputs['filesystem']}"}
        case "gcp:filestore/instance:Instance":
            return {"networks": [{**network, "ipAddresses": ["10.0.64.9"]} for network in args.inputs["networks"]]}
        case "gcp:storage/bucket:Bucket":
            return {"projectNumber": 123456789}
        case "gcp:artifactregistry/repository:Repository":
            place, project, repository = (args.inputs[key] for key in ("location", "project", "repositoryId"))
            return {"registryUri": f"{place}-docker.pkg.dev/{project}/{repository}"}
        case "gcp:projects/serviceIdentity:ServiceIdentity":
            return {"member": "serviceAccount:service-123456789@container-engine-robot.iam.gserviceaccount.com"}
        case _:
            return {}


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return Recorder()
