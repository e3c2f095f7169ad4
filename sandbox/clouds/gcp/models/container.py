"""GKE clusters and node pools. Endpoints and certificates look the part and lead nowhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.gcp.identity import DOMAIN, LINKS, is_zone, number_of, region_of, zones_of
from gpucluster.sandbox.clouds.gcp.model import Thing, models
from gpucluster.sandbox.clouds.gcp.versions import resolved
from gpucluster.sandbox.clouds.naming import random_hex
from gpucluster.sandbox.clouds.values import Secret
from gpucluster.sandbox.type_guards import items, mapping

__all__: list[str] = []

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
def cluster(thing: Thing) -> Mapping[str, Any]:
    """Endpoints are of the documentation range 203.0.113.0/24 and of a domain that never resolves."""
    endpoint = thing.keep("endpoint", lambda: _free_address(thing))
    version = resolved(str(thing.inputs.get("minMasterVersion") or ""), str(thing.previous.get("masterVersion") or ""))
    location = thing.location
    return {
        "controlPlaneEndpointsConfig": _endpoints(thing),
        "datapathProvider": thing.inputs.get("datapathProvider") or "LEGACY_DATAPATH",
        "endpoint": endpoint,
        "ipAllocationPolicy": _addresses(thing),
        "labelFingerprint": random_hex(8),
        "location": location,
        "masterAuth": {
            "clientCertificate": "",
            "clientCertificateConfig": {"issueClientCertificate": False},
            **mapping(thing.inputs.get("masterAuth")),
            "clientKey": Secret(""),
            "clusterCaCertificate": _CERTIFICATE,
        },
        "masterVersion": version,
        "network": thing.path(thing.inputs.get("network"), "global/networks"),
        "networkingMode": thing.inputs.get("networkingMode") or "VPC_NATIVE",
        "nodeLocations": thing.inputs.get("nodeLocations") or _other_zones(location),
        "nodeVersion": thing.inputs.get("nodeVersion") or version,
        "privateClusterConfig": {
            "enablePrivateEndpoint": False,
            "masterGlobalAccessConfig": {"enabled": False},
            "peeringName": "",
            **mapping(thing.inputs.get("privateClusterConfig")),
            "privateEndpoint": "192.0.2.2",
            "publicEndpoint": endpoint,
        },
        "project": thing.project,
        "releaseChannel": thing.inputs.get("releaseChannel") or {"channel": "REGULAR"},
        "selfLink": f"https://container.googleapis.com/v1/{thing.id}",
        "servicesIpv4Cidr": _addresses(thing)["servicesIpv4CidrBlock"],
        "subnetwork": thing.path(
            thing.inputs.get("subnetwork") or "default", f"regions/{region_of(location)}/subnetworks"
        ),
    }


def _endpoints(thing: Thing) -> Mapping[str, Any]:
    given = mapping(thing.inputs.get("controlPlaneEndpointsConfig"))
    before = mapping(mapping(thing.previous.get("controlPlaneEndpointsConfig")).get("dnsEndpointConfig"))
    host = f"gke-{random_hex(38)}-{number_of(thing.project)}.{region_of(thing.location)}.gke.{DOMAIN}"
    dns = {
        "allowExternalTraffic": False,
        **mapping(given.get("dnsEndpointConfig")),
        "endpoint": before.get("endpoint") or host,
    }
    return {"ipEndpointsConfig": {"enabled": True}, **given, "dnsEndpointConfig": dns}


def _addresses(thing: Thing) -> Mapping[str, Any]:
    """The ranges of pods and services: those of the secondary ranges it names, else GKE's own choice."""
    given = mapping(thing.inputs.get("ipAllocationPolicy"))
    found = thing.subnetwork(thing.inputs.get("subnetwork"))
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
    """The zones of a regional cluster's nodes; a zonal cluster has none but its own."""
    return [] if is_zone(location) else zones_of(location)[:3]


def _free_address(thing: Thing) -> str:
    """An address of 203.0.113.0/24 that no other cluster has."""
    first = int(hashlib.sha256(thing.id.encode()).hexdigest()[:8], 16)
    hosts = (f"203.0.113.{(first + at) % 254 + 1}" for at in range(254))
    return next(host for host in hosts if not thing.ledger.mentioning({thing.token}, host))


def _cluster_name(thing: Thing) -> str:
    """A pool may name its cluster by name, id or self link."""
    return str(thing.inputs["cluster"]).rsplit("/", 1)[-1]


def _pool_id(thing: Thing) -> str:
    parent = f"projects/{thing.project}/locations/{thing.location}/clusters/{_cluster_name(thing)}"
    return f"{parent}/nodePools/{thing.name}"


@models(
    "gcp:container/nodePool:NodePool",
    id=_pool_id,
    changing=("operation",),
    nested={"nodeConfig": ("effectiveTaints",)},
)
def node_pool(thing: Thing) -> Mapping[str, Any]:
    """Its zones are the cluster's where it names none; GKE taints nodes with accelerators.

    Sources: Kubernetes Engine API, NodePool; GKE documentation, "Run GPUs in GKE Standard node pools".
    """
    of_cluster = thing.at("gcp:container/cluster:Cluster", thing.id.rsplit("/nodePools/", 1)[0])
    around: Mapping[str, Any] = of_cluster.outputs if of_cluster is not None else {}
    zones = thing.inputs.get("nodeLocations") or items(around.get("nodeLocations")) or [thing.location]
    groups = thing.keep("instanceGroupUrls", lambda: [_group(thing, zone) for zone in zones])
    config = mapping(thing.inputs.get("nodeConfig"))
    count = thing.inputs.get("nodeCount")
    return {
        "initialNodeCount": thing.inputs.get("initialNodeCount") or count or 0,
        "instanceGroupUrls": groups,
        "location": thing.location,
        "managedInstanceGroupUrls": [group.replace("instanceGroupManagers", "instanceGroups") for group in groups],
        "management": {"autoRepair": True, "autoUpgrade": True, **mapping(thing.inputs.get("management"))},
        "maxPodsPerNode": thing.inputs.get("maxPodsPerNode") or around.get("defaultMaxPodsPerNode") or 110,
        "nodeConfig": {**config, "effectiveTaints": _taints(config)},
        "nodeCount": _first_size(thing) if count is None else count,
        "nodeLocations": zones,
        "project": thing.project,
        "upgradeSettings": thing.inputs.get("upgradeSettings")
        or {"strategy": "SURGE", "maxSurge": 1, "maxUnavailable": 0},
        "version": thing.inputs.get("version") or thing.previous.get("version") or around.get("masterVersion", ""),
    }


def _first_size(thing: Thing) -> int:
    """Nodes per zone of a pool that does not say: its smallest size per zone, or what it started with."""
    scaling = mapping(thing.inputs.get("autoscaling"))
    return int(thing.inputs.get("initialNodeCount") or scaling.get("minNodeCount") or 0)


def _group(thing: Thing, zone: str) -> str:
    unique = random_hex(8)
    name = f"gke-{_cluster_name(thing)[:16]}-{thing.name[:16]}-{unique}-grp"
    return f"{LINKS}projects/{thing.project}/zones/{zone}/instanceGroupManagers/{name}"


def _taints(config: Mapping[str, Any]) -> list[Any]:
    declared = items(config.get("taints"))
    gpu = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    own = config.get("guestAccelerators") and not any(mapping(item).get("key") == gpu["key"] for item in declared)
    return [*declared, gpu] if own else declared
