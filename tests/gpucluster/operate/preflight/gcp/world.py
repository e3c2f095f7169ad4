"""A project in which every plan of the tests can start: the answers of each method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.gpucluster.operate.preflight.gcp.google import Answers, Call

ZONE: Final = "us-central1-b"
WHO: Final = "ada@example.com"
METRICS: Final = {
    "gpus_per_gpu_family": {"gpu_family": ("NVIDIA_H100", "NVIDIA_H100_MEGA", "NVIDIA_H200")},
    "cpus_per_vm_family": {"vm_family": ("A3",)},
    "local_ssd_total_storage_per_vm_family": {"vm_family": ("A3",)},
    "preemptible_nvidia_h100_mega_gpus": {},
    "preemptible_nvidia_h200_gpus": {},
}
_MANY: Final = 2_000_000


def quotas(**changed: tuple[int, int]) -> dict[str, Any]:
    """As of a region or of the project. changed: limit and use by the metric."""
    names = (
        "GPUS_ALL_REGIONS HDB_TOTAL_GB IN_USE_ADDRESSES NETWORKS NVIDIA_A100_80GB_GPUS PREEMPTIBLE_CPUS "
        "PREEMPTIBLE_LOCAL_SSD_GB PREEMPTIBLE_NVIDIA_H100_GPUS RESOURCE_POLICIES SSD_TOTAL_GB"
    )
    rows = {**dict.fromkeys(names.split(), (_MANY, 0)), **changed}
    return {"quotas": [{"metric": name, "limit": limit, "usage": used} for name, (limit, used) in rows.items()]}


def metric(
    name: str, *buckets: tuple[int, Mapping[str, str]], service: str = "compute.googleapis.com"
) -> dict[str, Any]:
    """A metric of Service Usage. buckets: limit and dimensions."""
    rows = [{"effectiveLimit": str(limit), "dimensions": dict(dimensions)} for limit, dimensions in buckets]
    limit = {"unit": "1/{project}/{region}", "quotaBuckets": rows}
    return {"metric": f"{service}/{name}", "consumerQuotaLimits": [limit]}


def _metric(call: Call) -> dict[str, Any]:
    name = call.given["name"].rpartition("%2F")[2].rpartition("/")[2]
    dimensions = METRICS[name]
    [(kind, values)] = dimensions.items() or [("", ("",))]
    per_family = [(_MANY, {kind: value, "region": "us-central1"} if kind else {}) for value in values]
    return metric(name, (0, {}), *per_family)


def _permissions(call: Call) -> dict[str, Any]:
    return {"permissions": call.body["permissions"]}


def _apis(call: Call) -> dict[str, Any]:
    return {"services": [{"name": name, "state": "ENABLED"} for name in call.given["names"]]}


def _reservation(call: Call) -> dict[str, Any]:
    return reservation(name=call.given["reservation"])


def reservation(
    *, count: int = 1000, used: int = 0, ssds: int = 16, machine: str = "a3-megagpu-8g", **more: Any
) -> Any:
    """A specific reservation of A3 Mega with the placement policy of the examples."""
    properties = {"machineType": machine, "localSsds": [{"diskSizeGb": "375", "interface": "NVME"}] * ssds}
    return {
        "status": "READY",
        "specificReservationRequired": True,
        "specificReservation": {"count": str(count), "inUseCount": str(used), "instanceProperties": properties},
        "resourcePolicies": {"policy": "projects/my-project/regions/us-central1/resourcePolicies/h100-mega-placement"},
        **more,
    }


def series(*values: int) -> dict[str, Any]:
    """Uses as Cloud Monitoring measured them, the newest first."""
    return {"timeSeries": [{"points": [{"value": {"int64Value": str(value)}} for value in values]}]}


def network(**more: Any) -> dict[str, Any]:
    """The user's network of the examples."""
    peering = {"name": "servicenetworking-googleapis-com", "state": "ACTIVE"}
    return {"name": "office", "mtu": 8244, "peerings": [peering], **more}


NETWORK: Final = "https://www.googleapis.com/compute/v1/projects/my-project/global/networks/office"


def subnet(**more: Any) -> dict[str, Any]:
    """Its subnet."""
    ranges = [
        {"rangeName": name, "ipCidrRange": cidr}
        for name, cidr in (("pods", "10.4.0.0/14"), ("services", "10.8.0.0/20"))
    ]
    return {
        "network": NETWORK,
        "ipCidrRange": "10.20.0.0/20",
        "privateIpGoogleAccess": True,
        "secondaryIpRanges": ranges,
        **more,
    }


def whole() -> Answers:
    """Everything is there and allowed."""
    return {
        "token": lambda _: {"access_token": "a", "expires_in": 3599, "token_type": "Bearer"},
        "oauth2.userinfo.get": lambda _: {"email": WHO},
        "cloudresourcemanager.projects.get": lambda _: {"projectId": "my-project", "state": "ACTIVE"},
        "cloudresourcemanager.projects.testIamPermissions": _permissions,
        "cloudbilling.projects.getBillingInfo": lambda _: {"billingEnabled": True},
        "serviceusage.services.batchGet": _apis,
        "serviceusage.services.consumerQuotaMetrics.get": _metric,
        "serviceusage.services.consumerQuotaMetrics.list": lambda _: {
            "metrics": [metric("StorageCapacity", (_MANY, {}), service="lustre.googleapis.com")]
        },
        "monitoring.projects.timeSeries.list": lambda _: {},
        "orgpolicy.projects.policies.getEffectivePolicy": lambda _: {"spec": {"rules": [{"allowAll": True}]}},
        "compute.regions.get": lambda _: quotas(),
        "compute.projects.get": lambda _: quotas(),
        "compute.instances.aggregatedList": lambda _: {},
        "compute.machineTypes.get": lambda call: {"name": call.given["machineType"]},
        "compute.acceleratorTypes.get": lambda call: {"name": call.given["acceleratorType"]},
        "compute.reservations.get": _reservation,
        "compute.advice.capacity": lambda _: {
            "recommendations": [{"scores": {"obtainability": 0.7}, "shards": [{"zone": f"zones/{ZONE}"}]}]
        },
        "compute.advice.calendarMode": lambda _: {
            "recommendations": [
                {
                    "recommendationsPerSpec": {
                        "training": {"location": f"zones/{ZONE}", "startTime": "2026-12-07T00:00:00Z"}
                    }
                }
            ]
        },
        "compute.networks.get": lambda _: network(),
        "compute.subnetworks.get": lambda _: subnet(),
        "compute.routers.list": lambda _: {"items": [{"network": NETWORK, "nats": [{"name": "out"}]}]},
        "compute.globalAddresses.list": lambda _: {
            "items": [
                {
                    "name": "google",
                    "address": "10.30.0.0",
                    "prefixLength": 20,
                    "purpose": "VPC_PEERING",
                    "network": NETWORK,
                }
            ]
        },
        "container.projects.locations.getServerConfig": lambda _: {
            "channels": [
                {"channel": "REGULAR", "validVersions": ["1.35.2-gke.1842000", "1.34.9-gke.1000000"]},
                {"channel": "EXTENDED", "validVersions": ["1.33.1-gke.1000000"]},
            ]
        },
        "lustre.projects.locations.instances.list": lambda _: {},
        "lustre.projects.locations.list": lambda _: {"locations": [{"locationId": ZONE}]},
    }
