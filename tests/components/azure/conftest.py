"""What Azure answers to a program."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

KUBECONFIG = base64.b64encode(
    b"clusters: [{name: c, cluster: {server: 'https://trial.hcp.eastus.azmk8s.io:443', "
    b"certificate-authority-data: Y2VydA==}}]"
).decode()

Registered = list[tuple[str, str, dict[str, Any]]]


class Recorder(Mocks):
    def __init__(self) -> None:
        self.seen: Registered = []
        self.asked: list[dict[str, Any]] = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen.append((args.typ, args.name, args.inputs))
        return args.name, {"name": args.name, **args.inputs, **_computed(args)}

    def call(self, args: MockCallArgs) -> Any:
        if args.token != "azure-native:containerservice:listManagedClusterUserCredentials":
            raise AssertionError(args.token)
        self.asked.append(dict(args.args))
        return {"kubeconfigs": [{"name": "clusterUser", "value": KUBECONFIG}]}


def _computed(args: MockResourceArgs) -> dict[str, Any]:
    """What Azure adds to the inputs, as far as other resources ask for it, and what it changes in them."""
    match args.typ:
        case "azure-native:containerservice:ManagedCluster":
            identities = args.inputs["identity"]["userAssignedIdentities"]
            identity = {**args.inputs["identity"], "userAssignedIdentities": {name: {} for name in identities}}
            return {"fqdn": "trial.hcp.eastus.azmk8s.io", "identity": identity}
        case "azure-native:managedidentity:UserAssignedIdentity":
            return {"principalId": f"{args.name}-principal"}
        case "azure-native:network:PublicIPAddress":
            return {"ipAddress": "192.0.2.1"}
        case "azure-native:storagecache:AmlFilesystem":
            return {"clientInfo": {"mgsAddress": "10.0.32.4"}}
        case "azure-native:monitor:AzureMonitorWorkspace":
            return {"metrics": {"prometheusQueryEndpoint": "https://metrics.example"}}
        case _:
            return {}


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return Recorder()
