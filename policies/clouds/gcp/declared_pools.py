"""Node pools on Google Cloud as declared: as a separate resource, inside their GKE cluster, or as a managed instance
group.

Groups have the form of equivalent node pools. Their machines come from an instance template, whose first network
interface corresponds to the cluster's own network, the others to additional networks; a machine type needs as many as
in GKE (`gpucluster/core/catalog/gpudirect.csv`). Resources refer to each other by name, by path, by URL, or by an id
unknown before the update.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from gpucluster.core.catalog.fabrics import Fabric, fabric_of
from gpucluster.core.catalog.machines import Machine, has_gpus, machines
from gpucluster.core.program.inventory import scaled_to
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import (
    all_items,
    at,
    flag,
    is_list,
    is_object,
    items,
    known_items,
    says,
    text,
    whole,
)
from gpucluster.policies.clouds.pools import DeclaredPool, counting

_ZONE: Final = r"[a-z]+-[a-z]+[0-9]+-[a-z]"


def last(given: str) -> str:
    """The name at the end of a path or URL, e.g. `x` of `projects/p/global/networks/x`."""
    return given.rstrip("/").rpartition("/")[2]


def is_zone(location: str) -> bool:
    """Whether it is a zone such as us-central1-a, not a region."""
    return re.fullmatch(_ZONE, location) is not None


def name_of(resource: Resource) -> str | Unknown | None:
    """The name in the cloud: if not given, the provider generates one before the resource is created."""
    own = text(resource.inputs, "name")
    return own if isinstance(own, str) else text(resource.outputs, "name")


def made_by_name(resources: Resources, type_: str, given: Any) -> Resource | None:
    """The resource of this stack with a name, path or URL."""
    if not isinstance(given, str):
        return None
    return next(
        (
            found
            for found in resources.of_type(type_)
            if given in (at(found.outputs, "id"), at(found.outputs, "selfLink")) or name_of(found) == last(given)
        ),
        None,
    )


NODE_POOL: Final = "gcp:container/nodePool:NodePool"
CLUSTER: Final = "gcp:container/cluster:Cluster"

# Inputs that may be unknown before the update.
_UNSEEN: Final = ("nodeConfig", "nodeCount", "nodeLocations", "networkConfig", "upgradeSettings", "management")


@dataclass(frozen=True, kw_only=True)
class GcpPool(DeclaredPool):
    """A node pool in the form of `gcp:container/nodePool:NodePool`."""

    node_labels: ClassVar = ("nodeConfig", "labels")
    name_labels: ClassVar = ("cloud.google.com/gke-nodepool",)

    @property
    def name(self) -> str:
        own = text(self.inputs, "name") if self.prop == "nodePools" else None
        return self.resource.name if own is None or own is UNKNOWN else f"{self.resource.name}/{own}"

    @property
    def machine(self) -> str | Unknown | None:
        return text(self.inputs, "nodeConfig", "machineType")

    @property
    def known(self) -> Machine | None:
        """Its machine type in the catalog; None if unknown or missing there."""
        return machines().get(self.machine) if isinstance(self.machine, str) else None

    @property
    def fabric(self) -> Fabric | None:
        """GPU network of its nodes; None if unknown, or if they have only the interface of every machine."""
        return None if self.known is None else fabric_of(self.known)

    @property
    def with_gpus(self) -> bool:
        """Whether its nodes certainly have GPUs."""
        listed = items(self.inputs, "nodeConfig", "guestAccelerators")
        return bool(listed is not UNKNOWN and listed) or (
            isinstance(self.machine, str) and has_gpus("gcp", self.machine)
        )

    @property
    def sliced(self) -> bool:
        """Whether its GPUs are MIG slices."""
        listed = items(self.inputs, "nodeConfig", "guestAccelerators")
        return listed is not UNKNOWN and any(isinstance(text(gpu, "gpuPartitionSize"), str) for gpu in listed)

    @property
    def flexible(self) -> bool:
        """Whether its machines start when capacity is available: flex-start or queued provisioning."""
        queued = flag(self.inputs, "queuedProvisioning", "enabled")
        return True in (flag(self.inputs, "nodeConfig", "flexStart"), queued)


def declared_pools(resource: Resource) -> Iterator[GcpPool]:
    """The node pools that a resource is or contains."""
    if resource.type == NODE_POOL:
        yield GcpPool(resource=resource, inputs=resource.inputs)
    elif resource.type == CLUSTER:
        yield from _inside(resource)


def _inside(cluster: Resource) -> Iterator[GcpPool]:
    listed = items(cluster.inputs, "nodePools")
    if listed is UNKNOWN:
        yield GcpPool(resource=cluster, inputs=dict.fromkeys(_UNSEEN, UNKNOWN), prop="nodePools")
        return
    for index, pool in enumerate(listed):
        if is_object(pool):
            yield GcpPool(resource=cluster, inputs=pool, prop="nodePools", place=("nodePools", index))
    removed = flag(cluster.inputs, "removeDefaultNodePool")
    if not listed and removed is not True and at(cluster.inputs, "nodeConfig") is not None:
        default = {key: cluster.inputs.get(key) for key in ("nodeConfig", "initialNodeCount")}
        yield GcpPool(resource=cluster, inputs=default, prop="nodeConfig")


_ZONAL: Final = "gcp:compute/instanceGroupManager:InstanceGroupManager"
_REGIONAL: Final = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
_TEMPLATES: Final = (
    "gcp:compute/instanceTemplate:InstanceTemplate",
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
)

GROUPS: Final = ", ".join((_ZONAL, _REGIONAL, *_TEMPLATES))

# Input of a node pool -> equivalent input of a template.
_FROM: Final = {
    "placementPolicy": "resourcePolicies",
    "nodeConfig": "reservationAffinity",
    "networkConfig": "networkInterfaces",
}
_WITHOUT_GVNIC: Final = "VIRTIO_NET"


def instance_groups(resources: Resources) -> Iterator[GcpPool]:
    """Every managed instance group of the stack."""
    for type_ in (_ZONAL, _REGIONAL):
        for group in resources.of_type(type_):
            template = _template(group, resources)
            of: Mapping[str, Any] = {} if template is UNKNOWN else template.inputs
            origins = {} if template is UNKNOWN else {prop: _origins(template, name) for prop, name in _FROM.items()}
            workload = group.dependencies.get("resourcePolicies", ())
            yield GcpPool(
                resource=group,
                inputs={**_location_and_size(group, resources), **_of_template(group, of)},
                origins={**origins, "placementPolicy": (*workload, *origins.get("placementPolicy", ()))},
                template=template,
                managed=False,
            )


def _template(group: Resource, resources: Resources) -> Resource | Unknown:
    """UNKNOWN if the stack does not contain it, or if a group has several."""
    given = [at(version, "instanceTemplate") for version in known_items(group.inputs, "versions")]
    by_name = [made_by_name(resources, type_, name) for name in given for type_ in _TEMPLATES]
    made = resources.present(group.dependencies.get("versions", ()))
    found = {one.urn: one for one in (*made, *by_name) if one is not None and one.type in _TEMPLATES}
    return next(iter(found.values())) if len(found) == 1 and len(given) < 2 else UNKNOWN


def _origins(template: Resource, prop: str) -> tuple[str, ...]:
    return template.dependencies.get(prop, ())


def _location_and_size(group: Resource, resources: Resources) -> dict[str, Any]:
    """Location and number of the machines."""
    sizes = [whole(group.inputs, "targetSize"), scaled_to(group, resources)]
    total = UNKNOWN if UNKNOWN in sizes else max((one for one in sizes if isinstance(one, int)), default=UNKNOWN)
    counted = {"autoscaling": {"totalMaxNodeCount": total}}
    if group.type == _ZONAL:
        zone = text(group.inputs, "zone")
        return {"nodeLocations": [UNKNOWN if zone is None else zone], **counted}
    zones = group.inputs.get("distributionPolicyZones")
    return {"location": group.inputs.get("region"), "nodeLocations": zones, **counted}


def _of_template(group: Resource, of: Mapping[str, Any]) -> dict[str, Any]:
    listed = items(of, "networkInterfaces")
    policy = text(group.inputs, "resourcePolicies", "workloadPolicy")
    own = at(of, "resourcePolicies")
    named = at(own, 0) if is_list(own) else own
    return {
        "nodeConfig": {
            "machineType": counting("gcp", map(_short, (*_selected(group), text(of, "machineType")))),
            "guestAccelerators": of.get("guestAccelerators"),
            "spot": says(of, "scheduling", "provisioningModel", word="SPOT"),
            "preemptible": flag(of, "scheduling", "preemptible"),
            "flexStart": says(of, "scheduling", "provisioningModel", word="FLEX_START"),
            "reservationAffinity": {
                "consumeReservationType": at(of, "reservationAffinity", "type"),
                "values": at(of, "reservationAffinity", "specificReservation", "values"),
            },
            "gvnic": {"enabled": _gvnic(listed)},
            "labels": of.get("labels"),
        },
        "placementPolicy": {"policyName": named if policy is None else policy},
        "networkConfig": {
            "enablePrivateNodes": _private(listed),
            "additionalNodeNetworkConfigs": UNKNOWN if listed is UNKNOWN else listed[1:],
        },
    }


def _short(machine: str | Unknown | None) -> str | Unknown | None:
    """A machine type, of which a template may have the URL."""
    return last(machine) if isinstance(machine, str) else machine


def _selected(group: Resource) -> Iterator[str | Unknown]:
    """Machine types that a regional group may use in place of its template's."""
    for selection in all_items(group.inputs, "instanceFlexibilityPolicy", "instanceSelections"):
        yield from all_items(selection, "machineTypes")


def _gvnic(listed: list[Any] | Unknown) -> bool | Unknown:
    """Whether no interface requests the older kind; machines with a GPU fabric have gVNIC by default."""
    kinds = [UNKNOWN] if listed is UNKNOWN else [text(interface, "nicType") for interface in listed]
    return False if _WITHOUT_GVNIC in kinds else UNKNOWN if UNKNOWN in kinds else True


def _private(listed: list[Any] | Unknown) -> bool | Unknown:
    """Whether no interface has an access configuration, which is a public address."""
    public = [UNKNOWN] if listed is UNKNOWN else [items(interface, "accessConfigs") for interface in listed]
    known = [configs for configs in public if configs is not UNKNOWN]
    return False if any(known) else UNKNOWN if len(known) < len(public) else True
