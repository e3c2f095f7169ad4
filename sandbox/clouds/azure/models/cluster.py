"""AKS clusters and their node pools. Endpoints have the right form and lead nowhere.

Source: the answers recorded in pulumi/pulumi-azure-native provider/pkg/provider/testdata/recorded/TestProviderUpgrade
(upgrade-aks-api-version, upgrade-containerservice-agentpool): every default here, and the spelling of the ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.azure.machines import AGENT_POOL, DEFAULT, SNAPSHOT, node_image, own_profiles, resolved
from gpucluster.sandbox.clouds.azure.model import DOMAIN, ManagedResource, arm_id, guid, identity_of, made, models
from gpucluster.sandbox.clouds.model import random_hex

_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_CURRENT: Final = "currentOrchestratorVersion"
_MOST_PODS: Final = {"overlay": 250, "kubenet": 110, "": 30}
"""Default pods per node, by network (AKS documentation, "Configure maximum pods")."""


def _id(managed: ManagedResource) -> str:
    """AKS answers with `resourcegroups` in lower case."""
    return arm_id(managed).replace("/resourceGroups/", "/resourcegroups/", 1)


@models(_CLUSTER, id=_id)
def cluster(managed: ManagedResource) -> Mapping[str, Any]:
    given = managed.inputs
    version = str(given.get("kubernetesVersion") or managed.previous.get("kubernetesVersion") or DEFAULT)
    current = resolved(version, str(managed.previous.get("currentKubernetesVersion") or ""))
    group = given.get("nodeResourceGroup") or f"MC_{managed.group}_{managed.name}_{managed.location}"
    network = _network(managed)
    return {
        **made(managed),
        **_names(managed),
        "agentPoolProfiles": [_inline(managed, pool, version, current, network) for pool in _pools(managed)],
        "autoUpgradeProfile": {"nodeOSUpgradeChannel": "NodeImage", **mapping(given.get("autoUpgradeProfile"))},
        "currentKubernetesVersion": current,
        "eTag": guid(),
        "enableRBAC": given.get("enableRBAC", True),
        "identity": identity_of(managed),
        "identityProfile": {"kubeletidentity": _kubelet(managed, str(group)), **mapping(given.get("identityProfile"))},
        "kubernetesVersion": version,
        "maxAgentPools": 100,
        "networkProfile": network,
        "nodeProvisioningProfile": {"mode": "Manual", **mapping(given.get("nodeProvisioningProfile"))},
        "nodeResourceGroup": group,
        "oidcIssuerProfile": _issuer(managed),
        "powerState": {"code": "Running"},
        "resourceUID": managed.keep("resourceUID", lambda: random_hex(24)),
        "servicePrincipalProfile": given.get("servicePrincipalProfile") or {"clientId": "msi"},
        "sku": {"name": "Base", "tier": "Free", **mapping(given.get("sku"))},
        "storageProfile": _storage(managed),
        "supportPlan": given.get("supportPlan") or "KubernetesOfficial",
        "type": "Microsoft.ContainerService/ManagedClusters",
    }


def _names(managed: ManagedResource) -> dict[str, Any]:
    """The names of the API server; a private one has its own, and a public one only if that is not disabled."""
    prefix = managed.inputs.get("dnsPrefix") or managed.inputs.get("fqdnSubdomain") or managed.name
    unique = f"{prefix}-{random_hex(8)}"
    host = managed.keep("fqdn", lambda: f"{unique}.hcp.{managed.location}.azmk8s.{DOMAIN}")
    access = mapping(managed.inputs.get("apiServerAccessProfile"))
    private = access.get("enablePrivateCluster") is True
    return {
        "azurePortalFQDN": host.replace(".hcp.", ".portal.hcp.", 1),
        "dnsPrefix": prefix,
        "fqdn": host,
        "privateFQDN": managed.keep("privateFQDN", lambda: f"{unique}.{guid()}.privatelink.{managed.location}.{DOMAIN}")
        if private
        else None,
    }


def _network(managed: ManagedResource) -> dict[str, Any]:
    given = mapping(managed.inputs.get("networkProfile"))
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


def _issuer(managed: ManagedResource) -> dict[str, Any]:
    given = mapping(managed.inputs.get("oidcIssuerProfile"))
    before = mapping(managed.previous.get("oidcIssuerProfile")).get("issuerURL")
    if given.get("enabled") is not True:
        return {"enabled": False}
    url = before or f"https://{managed.location}.oic.prod-aks.{DOMAIN}/{managed.tenant}/{guid()}/"
    return {"enabled": True, "issuerURL": url}


def _kubelet(managed: ManagedResource, group: str) -> Mapping[str, Any]:
    """The identity of the nodes, which AKS creates in the nodes' group."""
    before = mapping(mapping(managed.previous.get("identityProfile")).get("kubeletidentity"))
    path = f"/subscriptions/{managed.subscription}/resourcegroups/{group}/providers/Microsoft.ManagedIdentity"
    return before or {
        "clientId": guid(),
        "objectId": guid(),
        "resourceId": f"{path}/userAssignedIdentities/{managed.name}-agentpool",
    }


def _storage(managed: ManagedResource) -> dict[str, Any]:
    on = {"diskCSIDriver": {"enabled": True}, "fileCSIDriver": {"enabled": True}}
    return {**on, "snapshotController": {"enabled": True}, **mapping(managed.inputs.get("storageProfile"))}


def _pools(managed: ManagedResource) -> list[Mapping[str, Any]]:
    return own_profiles(managed, managed.inputs) or own_profiles(managed, managed.previous)


def _inline(
    managed: ManagedResource, pool: Mapping[str, Any], version: str, current: str, network: Mapping[str, Any]
) -> dict[str, Any]:
    profiles = own_profiles(managed, managed.previous)
    before = next((profile for profile in profiles if profile.get("name") == pool.get("name")), mapping(None))
    return {**_pool(pool, version, current, network), "type": "VirtualMachineScaleSets", **pool, **_kept(pool, before)}


def _kept(given: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Without a version in the request, a pool keeps its own, and its image."""
    kept = ("orchestratorVersion", "currentOrchestratorVersion", "nodeImageVersion")
    return {} if given.get("orchestratorVersion") else {name: before[name] for name in kept if name in before}


def _pool(given: Mapping[str, Any], version: str, current: str, network: Mapping[str, Any]) -> dict[str, Any]:
    """Common outputs of every pool; inputs override them.

    version and current: of the control plane, the defaults of a pool.
    """
    requested = str(given.get("orchestratorVersion") or version)
    mode = str(network.get("networkPluginMode") or network.get("networkPlugin") or "")
    sku = given.get("osSKU") or "Ubuntu"
    found = {
        "count": 1,
        "currentOrchestratorVersion": resolved(requested, current),
        "enableFIPS": False,
        "enableNodePublicIP": False,
        "kubeletDiskType": "OS",
        "maxPods": _MOST_PODS.get(mode, _MOST_PODS[""]),
        "mode": "User",
        "nodeImageVersion": node_image(sku, resolved(requested, current)),
        "orchestratorVersion": requested,
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
def agent_pool(managed: ManagedResource) -> Mapping[str, Any]:
    """Its output `type` is the ARM type, not the kind of pool as in the input."""
    around = managed.at(_CLUSTER, managed.parent)
    outputs: Mapping[str, Any] = around.outputs if around is not None else {}
    version, current = str(outputs.get("kubernetesVersion")), str(outputs.get("currentKubernetesVersion"))
    pool = _pool(managed.inputs, version, current, mapping(outputs.get("networkProfile")))
    pool |= _kept(managed.inputs, managed.previous)
    moved = pool[_CURRENT] != managed.previous.get(_CURRENT)
    snapshot = managed.at(SNAPSHOT, mapping(managed.inputs.get("creationData")).get("sourceResourceId"))
    if not moved and "osSKU" not in managed.changed:
        # Also with another snapshot: an image of the same version needs a separate request.
        pool["nodeImageVersion"] = managed.previous["nodeImageVersion"]
    elif snapshot is not None:
        pool |= {
            _CURRENT: snapshot.outputs["kubernetesVersion"],
            "nodeImageVersion": snapshot.outputs["nodeImageVersion"],
        }
    return {**pool, "eTag": guid(), "name": managed.name, "type": managed.path.arm_type}


@models(SNAPSHOT, id=_id)
def snapshot(managed: ManagedResource) -> Mapping[str, Any]:
    """The versions of its pool at its creation; it outlives the pool."""
    pool = managed.at(AGENT_POOL, mapping(managed.inputs.get("creationData")).get("sourceResourceId"))
    of_pool: Mapping[str, Any] = {} if pool is None else {**pool.inputs, **pool.outputs}
    kept = {"kubernetesVersion": _CURRENT, "nodeImageVersion": "nodeImageVersion", "vmSize": "vmSize", "osSku": "osSKU"}
    found = {name: managed.previous.get(name, of_pool.get(source)) for name, source in kept.items()}
    return {
        **made(managed),
        **found,
        "enableFIPS": False,
        "osType": "Linux",
        "type": "Microsoft.ContainerService/Snapshots",
    }


@models("azure-native:containerservice:MaintenanceConfiguration", id=_id)
def maintenance(managed: ManagedResource) -> Mapping[str, Any]:
    return made(managed)
