"""Managed instance groups of Compute Engine, in the form of equivalent node pools.

The machines come from an instance template. Their first network interface corresponds to the cluster's own network, the
others to additional networks; a machine type needs as many as in GKE (`catalog/gpudirect.csv`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.policies.clouds.gcp.names import made_by_name
from gpucluster.policies.clouds.gcp.written import Written
from gpucluster.policies.clouds.machine_types import counting
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, flag, is_list, items, says, text, whole

_ZONAL: Final = "gcp:compute/instanceGroupManager:InstanceGroupManager"
_REGIONAL: Final = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
_TEMPLATES: Final = (
    "gcp:compute/instanceTemplate:InstanceTemplate",
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
)
_SCALERS: Final = ("gcp:compute/autoscaler:Autoscaler", "gcp:compute/regionAutoscaler:RegionAutoscaler")

READS: Final = ", ".join((_ZONAL, _REGIONAL, *_TEMPLATES))

# Input of a node pool -> equivalent input of a template.
_FROM: Final = {
    "placementPolicy": "resourcePolicies",
    "nodeConfig": "reservationAffinity",
    "networkConfig": "networkInterfaces",
}
_WITHOUT_GVNIC: Final = "VIRTIO_NET"


def written_groups(resources: Resources) -> Iterator[Written]:
    """Every managed instance group of the stack."""
    for type_ in (_ZONAL, _REGIONAL):
        for group in resources.of_type(type_):
            template = _template(group, resources)
            of: Mapping[str, Any] = {} if template is UNKNOWN else template.inputs
            origins = {} if template is UNKNOWN else {prop: _origins(template, name) for prop, name in _FROM.items()}
            workload = group.dependencies.get("resourcePolicies", ())
            yield Written(
                resource=group,
                inputs={**_standing(group, resources), **_of_template(group, of)},
                origins={**origins, "placementPolicy": (*workload, *origins.get("placementPolicy", ()))},
                template=template,
                gke=False,
            )


def _template(group: Resource, resources: Resources) -> Resource | Unknown:
    """UNKNOWN if the stack does not contain it, or if a group has several."""
    versions = items(group.inputs, "versions")
    given = [] if versions is UNKNOWN else [at(version, "instanceTemplate") for version in versions]
    by_name = [made_by_name(resources, type_, name) for name in given for type_ in _TEMPLATES]
    made = resources.present(group.dependencies.get("versions", ()))
    found = {one.urn: one for one in (*made, *by_name) if one is not None and one.type in _TEMPLATES}
    return next(iter(found.values())) if len(found) == 1 and len(given) < 2 else UNKNOWN


def _origins(template: Resource, prop: str) -> tuple[str, ...]:
    return template.dependencies.get(prop, ())


def _standing(group: Resource, resources: Resources) -> dict[str, Any]:
    """Location and number of the machines."""
    size = whole(group.inputs, "targetSize")
    total = _scaled(group, resources) if size is None else size
    counted = {"autoscaling": {"totalMaxNodeCount": total}}
    if group.type == _ZONAL:
        zone = text(group.inputs, "zone")
        return {"nodeLocations": [UNKNOWN if zone is None else zone], **counted}
    zones = group.inputs.get("distributionPolicyZones")
    return {"location": group.inputs.get("region"), "nodeLocations": zones, **counted}


def _scaled(group: Resource, resources: Resources) -> int | Unknown:
    """Maximum size from the autoscaler of a group without a size; UNKNOWN if the stack contains no autoscaler."""
    for type_ in _SCALERS:
        for scaler in resources.of_type(type_):
            if resources.referred(scaler, "target", group.type) is group:
                most = whole(scaler.inputs, "autoscalingPolicy", "maxReplicas")
                return UNKNOWN if most is None else most
    return UNKNOWN


def _of_template(group: Resource, of: Mapping[str, Any]) -> dict[str, Any]:
    listed = items(of, "networkInterfaces")
    policy = text(group.inputs, "resourcePolicies", "workloadPolicy")
    own = at(of, "resourcePolicies")
    named = at(own, 0) if is_list(own) else own
    return {
        "nodeConfig": {
            "machineType": counting("gcp", [*_selected(group), text(of, "machineType")]),
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


def _selected(group: Resource) -> Iterator[str | Unknown]:
    """Machine types that a regional group may use in place of its template's."""
    listed = items(group.inputs, "instanceFlexibilityPolicy", "instanceSelections")
    for selection in [UNKNOWN] if listed is UNKNOWN else listed:
        types = items(selection, "machineTypes")
        yield from [UNKNOWN] if types is UNKNOWN else types


def _gvnic(listed: list[Any] | Unknown) -> bool | Unknown:
    """Whether no interface requests the older kind; machines with a GPU fabric have gVNIC by default."""
    kinds = [UNKNOWN] if listed is UNKNOWN else [text(interface, "nicType") for interface in listed]
    return False if _WITHOUT_GVNIC in kinds else UNKNOWN if UNKNOWN in kinds else True


def _private(listed: list[Any] | Unknown) -> bool | Unknown:
    """Whether no interface has an access configuration, which is a public address."""
    public = [UNKNOWN] if listed is UNKNOWN else [items(interface, "accessConfigs") for interface in listed]
    known = [configs for configs in public if configs is not UNKNOWN]
    return False if any(known) else UNKNOWN if len(known) < len(public) else True
