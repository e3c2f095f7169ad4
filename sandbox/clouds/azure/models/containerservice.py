"""AKS clusters and their node pools. Endpoints look the part and lead nowhere.

Source: the answers recorded in pulumi/pulumi-azure-native provider/pkg/provider/testdata/recorded/TestProviderUpgrade
(upgrade-aks-api-version, upgrade-containerservice-agentpool): every default here, and the spelling of the ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.azure.identities import of_resource
from gpucluster.sandbox.clouds.azure.identity import DOMAIN, guid
from gpucluster.sandbox.clouds.azure.model import Thing, arm_id, models
from gpucluster.sandbox.clouds.azure.outputs import made
from gpucluster.sandbox.clouds.azure.pools import own_profiles
from gpucluster.sandbox.clouds.azure.versions import DEFAULT, node_image, resolved
from gpucluster.sandbox.clouds.naming import random_hex
from gpucluster.sandbox.type_guards import mapping

__all__: list[str] = []

_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_MOST_PODS: Final = {"overlay": 250, "kubenet": 110, "": 30}
"""Pods of a node where none are asked, by network (AKS documentation, "Configure maximum pods")."""


def _id(thing: Thing) -> str:
    """AKS answers with `resourcegroups` in lower case."""
    return arm_id(thing).replace("/resourceGroups/", "/resourcegroups/", 1)


@models(_CLUSTER, id=_id)
def cluster(thing: Thing) -> Mapping[str, Any]:
    given = thing.inputs
    version = str(given.get("kubernetesVersion") or thing.previous.get("kubernetesVersion") or DEFAULT)
    current = resolved(version, str(thing.previous.get("currentKubernetesVersion") or ""))
    group = given.get("nodeResourceGroup") or f"MC_{thing.group}_{thing.name}_{thing.location}"
    network = _network(thing)
    return {
        **made(thing),
        **_names(thing),
        "agentPoolProfiles": [_inline(pool, version, current, network) for pool in _pools(thing)],
        "autoUpgradeProfile": {"nodeOSUpgradeChannel": "NodeImage", **mapping(given.get("autoUpgradeProfile"))},
        "currentKubernetesVersion": current,
        "eTag": guid(),
        "enableRBAC": given.get("enableRBAC", True),
        "identity": of_resource(thing),
        "identityProfile": {"kubeletidentity": _kubelet(thing, str(group)), **mapping(given.get("identityProfile"))},
        "kubernetesVersion": version,
        "maxAgentPools": 100,
        "networkProfile": network,
        "nodeProvisioningProfile": {"mode": "Manual", **mapping(given.get("nodeProvisioningProfile"))},
        "nodeResourceGroup": group,
        "oidcIssuerProfile": _issuer(thing),
        "powerState": {"code": "Running"},
        "resourceUID": thing.keep("resourceUID", lambda: random_hex(24)),
        "servicePrincipalProfile": given.get("servicePrincipalProfile") or {"clientId": "msi"},
        "sku": {"name": "Base", "tier": "Free", **mapping(given.get("sku"))},
        "storageProfile": _storage(thing),
        "supportPlan": given.get("supportPlan") or "KubernetesOfficial",
        "type": "Microsoft.ContainerService/ManagedClusters",
    }


def _names(thing: Thing) -> dict[str, Any]:
    """The names of the API server; a private one has its own, and a public one only where that is not refused."""
    prefix = thing.inputs.get("dnsPrefix") or thing.inputs.get("fqdnSubdomain") or thing.name
    unique = f"{prefix}-{random_hex(8)}"
    host = thing.keep("fqdn", lambda: f"{unique}.hcp.{thing.location}.azmk8s.{DOMAIN}")
    access = mapping(thing.inputs.get("apiServerAccessProfile"))
    private = access.get("enablePrivateCluster") is True
    return {
        "azurePortalFQDN": host.replace(".hcp.", ".portal.hcp.", 1),
        "dnsPrefix": prefix,
        "fqdn": host,
        "privateFQDN": thing.keep("privateFQDN", lambda: f"{unique}.{guid()}.privatelink.{thing.location}.{DOMAIN}")
        if private
        else None,
    }


def _network(thing: Thing) -> dict[str, Any]:
    given = mapping(thing.inputs.get("networkProfile"))
    plugin = given.get("networkPlugin") or "azure"
    overlay = "overlay" if not given else None
    mode = given.get("networkPluginMode") or overlay
    has_pods = mode == "overlay" or plugin == "kubenet"
    pods = given.get("podCidr") or ("10.244.0.0/16" if has_pods else None)
    services = given.get("serviceCidr") or "10.0.0.0/16"
    found = {
        "dnsServiceIP": "10.0.0.10",
        "ipFamilies": ["IPv4"],
        "loadBalancerSku": "standard",
        "networkDataplane": "azure",
        "networkPlugin": plugin,
        "networkPluginMode": mode,
        "networkPolicy": "none",
        "outboundType": "loadBalancer",
        "podCidr": pods,
        "podCidrs": [pods] if pods else None,
        "serviceCidr": services,
        "serviceCidrs": [services],
        **given,
    }
    return {key: value for key, value in found.items() if value is not None}


def _issuer(thing: Thing) -> dict[str, Any]:
    given = mapping(thing.inputs.get("oidcIssuerProfile"))
    before = mapping(thing.previous.get("oidcIssuerProfile")).get("issuerURL")
    if given.get("enabled") is not True:
        return {"enabled": False}
    url = before or f"https://{thing.location}.oic.prod-aks.{DOMAIN}/{thing.tenant}/{guid()}/"
    return {"enabled": True, "issuerURL": url}


def _kubelet(thing: Thing, group: str) -> Mapping[str, Any]:
    """The identity of the nodes, which AKS makes in the group of the nodes."""
    before = mapping(mapping(thing.previous.get("identityProfile")).get("kubeletidentity"))
    path = f"/subscriptions/{thing.subscription}/resourcegroups/{group}/providers/Microsoft.ManagedIdentity"
    return before or {
        "clientId": guid(),
        "objectId": guid(),
        "resourceId": f"{path}/userAssignedIdentities/{thing.name}-agentpool",
    }


def _storage(thing: Thing) -> dict[str, Any]:
    on = {"diskCSIDriver": {"enabled": True}, "fileCSIDriver": {"enabled": True}}
    return {**on, "snapshotController": {"enabled": True}, **mapping(thing.inputs.get("storageProfile"))}


def _pools(thing: Thing) -> list[Mapping[str, Any]]:
    return own_profiles(thing, thing.inputs) or own_profiles(thing, thing.previous)


def _inline(pool: Mapping[str, Any], version: str, current: str, network: Mapping[str, Any]) -> dict[str, Any]:
    return {**_pool(pool, version, current, network), "type": "VirtualMachineScaleSets", **pool}


def _pool(given: Mapping[str, Any], version: str, current: str, network: Mapping[str, Any]) -> dict[str, Any]:
    """What every pool says of itself; inputs win where they are given.

    version and current: of the control plane, which a pool takes when it asks for none.
    """
    wish = str(given.get("orchestratorVersion") or version)
    mode = str(network.get("networkPluginMode") or network.get("networkPlugin") or "")
    sku = given.get("osSKU") or "Ubuntu"
    found = {
        "count": 1,
        "currentOrchestratorVersion": resolved(wish, current),
        "enableFIPS": False,
        "enableNodePublicIP": False,
        "kubeletDiskType": "OS",
        "maxPods": _MOST_PODS.get(mode, _MOST_PODS[""]),
        "mode": "User",
        "nodeImageVersion": node_image(sku),
        "orchestratorVersion": wish,
        "osDiskSizeGB": 128,
        "osDiskType": "Managed",
        "osSKU": sku,
        "osType": "Linux",
        "powerState": {"code": "Running"},
        "provisioningState": "Succeeded",
        "scaleDownMode": "Delete",
        "upgradeSettings": {"maxSurge": "10%"},
    }
    return {**found, **{key: given[key] for key in found if given.get(key) is not None}}


@models("azure-native:containerservice:AgentPool", id=_id)
def agent_pool(thing: Thing) -> Mapping[str, Any]:
    """Its output `type` is the ARM type, not the kind of pool the input asks for."""
    around = thing.at(_CLUSTER, thing.parent)
    outputs: Mapping[str, Any] = around.outputs if around is not None else {}
    version, current = str(outputs.get("kubernetesVersion")), str(outputs.get("currentKubernetesVersion"))
    pool = _pool(thing.inputs, version, current, mapping(outputs.get("networkProfile")))
    if thing.previous and not thing.inputs.get("orchestratorVersion"):
        kept = ("orchestratorVersion", "currentOrchestratorVersion", "nodeImageVersion")
        pool |= {name: thing.previous[name] for name in kept}
    return {**pool, "eTag": guid(), "name": thing.name, "type": thing.path.arm_type}


@models("azure-native:containerservice:MaintenanceConfiguration", id=_id)
def maintenance(thing: Thing) -> Mapping[str, Any]:
    return made(thing)
