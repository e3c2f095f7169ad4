"""GKE clusters, node pools and machines. Endpoints and certificates have the right form and lead nowhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.gcp.machines import Pool, resolved
from gpucluster.sandbox.clouds.gcp.model import (
    DOMAIN,
    LINKS,
    ManagedResource,
    is_zone,
    made,
    models,
    number,
    number_of,
    region_of,
    zones_of,
)
from gpucluster.sandbox.clouds.model import random_hex
from gpucluster.sandbox.clouds.types.values import Secret


@models("gcp:compute/disk:Disk", id="projects/{project}/zones/{zone}/disks/{name}")
def disk(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "zone": managed.zone,
        "diskId": managed.keep("diskId", number),
        "labelFingerprint": random_hex(12),
        "physicalBlockSizeBytes": managed.inputs.get("physicalBlockSizeBytes") or 4096,
    }


@models(
    "gcp:compute/instance:Instance",
    id="projects/{project}/zones/{zone}/instances/{name}",
    changing=("metadataFingerprint", "tagsFingerprint", "labelFingerprint"),
    defaults={"currentStatus": "RUNNING", "cpuPlatform": "Unknown CPU Platform"},
)
def instance(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "zone": managed.zone,
        "instanceId": managed.keep("instanceId", number),
        "labelFingerprint": random_hex(12),
        "metadataFingerprint": random_hex(12),
        "networkInterfaces": [
            {"networkIp": f"192.0.2.{at + 2}", "name": f"nic{at}", **mapping(given)}
            for at, given in enumerate(items(managed.inputs.get("networkInterfaces")))
        ],
        "tagsFingerprint": random_hex(12),
    }


@models("gcp:compute/reservation:Reservation", id="projects/{project}/zones/{zone}/reservations/{name}")
def reservation(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "zone": managed.zone,
        "kind": "compute#reservation",
        "shareSettings": managed.inputs.get("shareSettings") or {"shareType": "LOCAL"},
        "status": "READY",
    }


@models(
    "gcp:compute/futureReservation:FutureReservation",
    id="projects/{project}/zones/{zone}/futureReservations/{name}",
)
def future_reservation(managed: ManagedResource) -> Mapping[str, Any]:
    return {**made(managed), "zone": managed.zone, "planningStatus": managed.inputs.get("planningStatus") or "DRAFT"}


_CERTIFICATE: Final = base64.b64encode(
    b"-----BEGIN CERTIFICATE-----\n"
    + base64.b64encode(b"this certificate belongs to the sandbox and certifies nothing at all")
    + b"\n-----END CERTIFICATE-----\n"
).decode()


@models(
    "gcp:container/cluster:Cluster",
    id="projects/{project}/locations/{location}/clusters/{name}",
    changing=("masterVersion", "operation", "labelFingerprint"),
    nested={
        "controlPlaneEndpointsConfig.dnsEndpointConfig": ("endpoint",),
        "ipAllocationPolicy": ("clusterIpv4CidrBlock", "servicesIpv4CidrBlock"),
        "masterAuth": ("clientCertificate", "clientKey", "clusterCaCertificate"),
        "privateClusterConfig": ("peeringName", "privateEndpoint", "publicEndpoint"),
    },
)
def cluster(managed: ManagedResource) -> Mapping[str, Any]:
    """Endpoints are in the documentation range 203.0.113.0/24 and in a domain that never resolves."""
    endpoint = managed.keep("endpoint", lambda: _free_address(managed))
    version = resolved(
        str(managed.inputs.get("minMasterVersion") or ""), str(managed.previous.get("masterVersion") or "")
    )
    location = managed.location
    return {
        "controlPlaneEndpointsConfig": _endpoints(managed),
        "datapathProvider": managed.inputs.get("datapathProvider") or "LEGACY_DATAPATH",
        "endpoint": endpoint,
        "ipAllocationPolicy": _addresses(managed),
        "labelFingerprint": random_hex(8),
        "location": location,
        "masterAuth": {
            "clientCertificate": "",
            "clientCertificateConfig": {"issueClientCertificate": False},
            **mapping(managed.inputs.get("masterAuth")),
            "clientKey": Secret(""),
            "clusterCaCertificate": _CERTIFICATE,
        },
        "masterVersion": version,
        "network": managed.path(managed.inputs.get("network"), "global/networks"),
        "networkingMode": managed.inputs.get("networkingMode") or "VPC_NATIVE",
        "nodeLocations": managed.inputs.get("nodeLocations") or _other_zones(location),
        "nodeVersion": managed.inputs.get("nodeVersion") or version,
        "privateClusterConfig": {
            "enablePrivateEndpoint": False,
            "masterGlobalAccessConfig": {"enabled": False},
            "peeringName": "",
            **mapping(managed.inputs.get("privateClusterConfig")),
            "privateEndpoint": "192.0.2.2",
            "publicEndpoint": endpoint,
        },
        "project": managed.project,
        "releaseChannel": managed.inputs.get("releaseChannel") or {"channel": "REGULAR"},
        "selfLink": f"https://container.googleapis.com/v1/{managed.id}",
        "servicesIpv4Cidr": _addresses(managed)["servicesIpv4CidrBlock"],
        "subnetwork": managed.path(
            managed.inputs.get("subnetwork") or "default", f"regions/{region_of(location)}/subnetworks"
        ),
    }


def _endpoints(managed: ManagedResource) -> Mapping[str, Any]:
    given = mapping(managed.inputs.get("controlPlaneEndpointsConfig"))
    before = mapping(mapping(managed.previous.get("controlPlaneEndpointsConfig")).get("dnsEndpointConfig"))
    host = f"gke-{random_hex(38)}-{number_of(managed.project)}.{region_of(managed.location)}.gke.{DOMAIN}"
    dns = {
        "allowExternalTraffic": False,
        **mapping(given.get("dnsEndpointConfig")),
        "endpoint": before.get("endpoint") or host,
    }
    return {"ipEndpointsConfig": {"enabled": True}, **given, "dnsEndpointConfig": dns}


def _addresses(managed: ManagedResource) -> Mapping[str, Any]:
    """The ranges of pods and services: its secondary ranges, else GKE's own choice."""
    given = mapping(managed.inputs.get("ipAllocationPolicy"))
    found = managed.subnetwork(managed.inputs.get("subnetwork"))
    ranges = items(found.inputs.get("secondaryIpRanges")) if found is not None else []
    blocks = {mapping(item).get("rangeName"): mapping(item).get("ipCidrRange") for item in ranges}
    return {
        "stackType": "IPV4",
        **given,
        "clusterIpv4CidrBlock": blocks.get(given.get("clusterSecondaryRangeName"))
        or given.get("clusterIpv4CidrBlock")
        or "10.0.0.0/14",
        "servicesIpv4CidrBlock": blocks.get(given.get("servicesSecondaryRangeName"))
        or given.get("servicesIpv4CidrBlock")
        or "34.118.224.0/20",
    }


def _other_zones(location: str) -> list[str]:
    """The zones of a regional cluster's nodes; a zonal cluster has only its own."""
    return [] if is_zone(location) else zones_of(location)[:3]


def _free_address(managed: ManagedResource) -> str:
    """An address of 203.0.113.0/24 that no other cluster uses."""
    first = int(hashlib.sha256(managed.id.encode()).hexdigest()[:8], 16)
    hosts = (f"203.0.113.{(first + at) % 254 + 1}" for at in range(254))
    return next(host for host in hosts if not managed.ledger.mentioning({managed.token}, host))


def _cluster_name(managed: ManagedResource) -> str:
    """A pool may refer to its cluster by name, id or self link."""
    return str(managed.inputs["cluster"]).rsplit("/", 1)[-1]


def _pool_id(managed: ManagedResource) -> str:
    parent = f"projects/{managed.project}/locations/{managed.location}/clusters/{_cluster_name(managed)}"
    return f"{parent}/nodePools/{managed.name}"


@models(
    "gcp:container/nodePool:NodePool",
    id=_pool_id,
    changing=("operation",),
    nested={"nodeConfig": ("effectiveTaints",)},
)
def node_pool(managed: ManagedResource) -> Mapping[str, Any]:
    """Its zones default to the cluster's; GKE taints nodes with accelerators.

    Sources: Kubernetes Engine API, NodePool; GKE documentation, "Run GPUs in GKE Standard node pools".
    """
    of_cluster = managed.at("gcp:container/cluster:Cluster", managed.id.rsplit("/nodePools/", 1)[0])
    around: Mapping[str, Any] = of_cluster.outputs if of_cluster is not None else {}
    zones = managed.inputs.get("nodeLocations") or items(around.get("nodeLocations")) or [managed.location]
    groups = managed.keep("instanceGroupUrls", lambda: [_group(managed, zone) for zone in zones])
    config = mapping(managed.inputs.get("nodeConfig"))
    count = managed.inputs.get("nodeCount")
    return {
        "initialNodeCount": managed.inputs.get("initialNodeCount") or count or 0,
        "instanceGroupUrls": groups,
        "location": managed.location,
        "managedInstanceGroupUrls": [group.replace("instanceGroupManagers", "instanceGroups") for group in groups],
        "management": {"autoRepair": True, "autoUpgrade": True, **mapping(managed.inputs.get("management"))},
        "maxPodsPerNode": managed.inputs.get("maxPodsPerNode") or around.get("defaultMaxPodsPerNode") or 110,
        "nodeConfig": {**config, "effectiveTaints": _taints(config)},
        "nodeCount": _first_size(managed) if count is None else count,
        "nodeLocations": zones,
        "project": managed.project,
        "upgradeSettings": _upgrades(managed),
        "version": managed.inputs.get("version") or managed.previous.get("version") or around.get("masterVersion", ""),
    }


def _upgrades(managed: ManagedResource) -> Mapping[str, Any]:
    """GKE sets the strategy of flex-start and queued pools itself, whatever is requested.

    Source: crossplane-contrib/provider-upjet-gcp issue 1028 (values read from such pools).
    """
    pool = Pool(managed)
    if pool.is_flex_start or pool.is_queued:
        return {"strategy": "SHORT_LIVED", "maxSurge": 0, "maxUnavailable": 0}
    return managed.inputs.get("upgradeSettings") or {"strategy": "SURGE", "maxSurge": 1, "maxUnavailable": 0}


def _first_size(managed: ManagedResource) -> int:
    """Default nodes per zone of a pool: its minimum size per zone, or its initial size."""
    scaling = mapping(managed.inputs.get("autoscaling"))
    return int(managed.inputs.get("initialNodeCount") or scaling.get("minNodeCount") or 0)


def _group(managed: ManagedResource, zone: str) -> str:
    unique = random_hex(8)
    name = f"gke-{_cluster_name(managed)[:16]}-{managed.name[:16]}-{unique}-grp"
    return f"{LINKS}projects/{managed.project}/zones/{zone}/instanceGroupManagers/{name}"


def _taints(config: Mapping[str, Any]) -> list[Any]:
    declared = items(config.get("taints"))
    gpu = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    own = config.get("guestAccelerators") and not any(mapping(item).get("key") == gpu["key"] for item in declared)
    return [*declared, gpu] if own else declared
