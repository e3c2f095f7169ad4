"""What Azure answers to a program."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pulumi
import pytest
from grpc import RpcError, StatusCode
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

KUBECONFIG = base64.b64encode(
    b"clusters: [{name: c, cluster: {server: 'https://trial.hcp.eastus.azmk8s.io:443', "
    b"certificate-authority-data: Y2VydA==}}]"
).decode()

Registered = list[tuple[str, str, dict[str, Any]]]


def token(**claims: str) -> str:
    """A token that says this of whom it is for."""
    return f"e30.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.signature"


class NotFoundError(RpcError):
    """The answer to a question about what does not exist."""

    def code(self) -> StatusCode:
        return StatusCode.UNKNOWN

    def details(self) -> str:
        return "Status=404"


class Recorder(Mocks):
    def __init__(self) -> None:
        self.seen: Registered = []
        self.asked: list[dict[str, Any]] = []
        self.feature: str | None = "Registered"
        self.granted: str | None = None
        self.token = token(scp="user_impersonation")

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen.append((args.typ, args.name, args.inputs))
        return args.name, {"name": args.name, **args.inputs, **self._computed(args)}

    def call(self, args: MockCallArgs) -> Any:
        match args.token:
            case "azure-native:features:getSubscriptionFeatureRegistration":
                return {"properties": {"state": self.feature}}
            case "azure-native:containerservice:listManagedClusterUserCredentials":
                self.asked.append(dict(args.args))
                return {"kubeconfigs": [{"name": "clusterUser", "value": KUBECONFIG}]}
            case "azure-native:authorization:getClientConfig":
                return {"objectId": "whoever-runs-up"}
            case "azure-native:authorization:getClientToken":
                return {"token": self.token}
            case "azure-native:authorization:getRoleAssignment":
                raise NotFoundError
            case _:
                raise AssertionError(args.token)

    def _computed(self, args: MockResourceArgs) -> dict[str, Any]:
        """What Azure adds to the inputs, as far as other resources ask for it, and what it changes in them."""
        if args.typ == "azure-native:authorization:RoleAssignment":
            return {"createdOn": self.granted}
        return _computed(args)


def _computed(args: MockResourceArgs) -> dict[str, Any]:
    match args.typ:
        case "azure-native:containerservice:ManagedCluster":
            identities = args.inputs["identity"]["userAssignedIdentities"]
            identity = {**args.inputs["identity"], "userAssignedIdentities": {name: {} for name in identities}}
            return {
                "fqdn": "trial.hcp.eastus.azmk8s.io",
                "identity": identity,
                "identityProfile": {
                    "kubeletidentity": {"objectId": f"{args.name}-kubelet", "clientId": f"{args.name}-kubelet-client"}
                },
                "oidcIssuerProfile": {**args.inputs["oidcIssuerProfile"], "issuerURL": "https://issuer.example/"},
            }
        case "azure-native:containerregistry:Registry":
            return {"loginServer": f"{args.inputs['registryName']}.azurecr.io"}
        case "azure-native:managedidentity:UserAssignedIdentity":
            return {"principalId": f"{args.name}-principal", "clientId": f"{args.name}-client"}
        case "azure-native:network:PublicIPAddress":
            return {"ipAddress": "192.0.2.1"}
        case "azure-native:storagecache:AmlFilesystem":
            return {"clientInfo": {"mgsAddress": "10.0.32.4"}}
        case "azure-native:operationalinsights:Workspace":
            return {"customerId": "00000000-0000-0000-0000-00000000000f"}
        case "azure-native:monitor:AzureMonitorWorkspace":
            return {"metrics": {"prometheusQueryEndpoint": "https://metrics.example"}}
        case _:
            return {}


@pytest.fixture(scope="module", autouse=True)
def no_aliases() -> Iterator[None]:
    """Azure's SDK works out what each resource was called in other versions of its API, ten names for one, which takes
    as long as all the rest of a cluster and which no cloud of these tests asks for. Pulumi has no public way to leave
    it: a transformation needs a parent that programs of tests do not give.
    """
    with mock.patch("pulumi.resource.collapse_alias_to_urn", lambda *_: pulumi.Output.from_input("")):
        yield


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return Recorder()
