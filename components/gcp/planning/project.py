"""What a plan asks of its project: APIs, permissions, organization policies, machines in the zone and versions of GKE.
Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from gpucluster.components.cluster.versions import VersionPlan
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.training import TrainingPlan
from gpucluster.components.planning.planning import Planning
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.program.questions import Question

_ALWAYS: Final = frozenset({"cloudkms", "compute", "container", "dns", "iam"})


def services(wanted: Mapping[str, bool]) -> tuple[str, ...]:
    """The APIs in use, such as `container`. wanted: those that not every cluster uses; the last one comes last."""
    *_, last = wanted
    found = {*_ALWAYS, *(name for name, used in wanted.items() if used)}
    return tuple(sorted(found, key=lambda name: (name == last, name)))


@cache
def permissions() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Part of a cluster -> role -> the permissions of the role without which the part can't be created."""
    found: dict[str, dict[str, list[str]]] = {}
    for row in read_rows("components/gcp/planning/permissions.csv"):
        found.setdefault(row["part"], {}).setdefault(row["role"], []).append(row["permission"])
    return found


def ask_project(planning: Planning[Location], apis: Sequence[str], parts: Mapping[str, bool], *, nat: bool) -> None:
    """Asks for the project, its billing, both logins, and what its policies allow. apis: in use. parts: whether
    the cluster creates each, by which it needs permissions. nat: it creates a NAT.
    """
    project = planning.location.project
    planning.ask(
        Question(about="project", subject=project, needed="active", title="project"),
        Question(about="billing", subject=project, needed="billing account", title="billing", decides=False),
        # `up` itself does not use gcloud's account, but `gpucluster connect` does.
        Question(about="login", subject="gcloud", needed="same account", title="login of kubectl", decides=False),
        *(
            # `up` enables them.
            Question(about="api", subject=f"{name}.googleapis.com", needed="enabled", decides=False)
            for name in apis
        ),
        *_rights([part for part, creates in parts.items() if creates]),
        *_policies(planning.location, apis, peering=parts["servicenetworking"], nat=nat),
    )


def _rights(parts: Sequence[str]) -> Iterator[Question]:
    roles: dict[str, list[str]] = {}
    for part in ("all", *parts):
        for role, needed in permissions().get(part, {}).items():
            roles.setdefault(role, []).extend(needed)
    for role, needed in roles.items():
        details = {"permissions": " ".join(needed)}
        yield Question(about="right", subject=role, needed="granted", details=details)


# Source: Organization Policy documentation, "Organization policy constraints".
_PEERING: Final = "compute.restrictVpcPeering"
_NAT: Final = "compute.restrictCloudNATUsage"
_ACCOUNTS: Final = "iam.disableServiceAccountCreation"
_LOCATIONS: Final = "gcp.resourceLocations"
_SERVICES: Final = "gcp.restrictServiceUsage"
_KEYS: Final = "gcp.restrictNonCmekServices"


def _policies(location: Location, apis: Sequence[str], *, peering: bool, nat: bool) -> Iterator[Question]:
    """The policies of the organization that can stop `up`. None concerns external addresses of machines: no node has
    one.
    """
    names = " ".join(f"{name}.googleapis.com" for name in apis)
    wanted = {
        _LOCATIONS: location.region,
        _SERVICES: names,
        # The cluster encrypts its secrets with its own key, and disks, file systems and buckets with Google's.
        _KEYS: names,
        _ACCOUNTS: "",
        **({_PEERING: "peering with Google's services"} if peering else {}),
        **({_NAT: "a subnet of the cluster"} if nat else {}),
    }
    for name, values in wanted.items():
        details = {"values": values}
        yield Question(about="policy", subject=name, needed="allowed", title="organization policy", details=details)


def ask_zone(
    planning: Planning[Location], pools: Mapping[Machine, str], training: TrainingPlan, *, hours: int | None
) -> None:
    """Asks whether the zone has the machines, and what Google advises about their capacity. pools: machine -> its pool,
    in prose. hours: of use, of a reservation in calendar mode.
    """
    zone = planning.location.zone
    for shape, pool in pools.items():
        details = {"accelerator": shape.gke_gpu or "", "pool": pool}
        planning.ask(Question(about="machine", subject=shape.machine_type, place=zone, details=details))
    if training.placement.compact and training.placement.policy is None:
        planning.ask(
            Question(
                about="quota",
                subject="RESOURCE-POLICIES-per-project-region",
                needed=1,
                unit="placement policies",
                place=planning.location.region,
                details={
                    "service": "compute.googleapis.com",
                    "metric": "resource_policies",
                    "id": "RESOURCE-POLICIES-per-project-region",
                },
            )
        )
    model = "FLEX_START" if training.flex_start_hours is not None else "CALENDAR" if training.calendar else ""
    if model and not (training.calendar and training.active):
        planning.ask(
            Question(
                about="capacity",
                subject=training.shape.machine_type,
                needed=training.size,
                unit="machines",
                place=zone,
                title="flex-start" if model == "FLEX_START" else "calendar reservation",
                details={"model": model, "hours": str(hours or "")},
                decides=False,
            )
        )


def ask_version(planning: Planning[Location], versions: VersionPlan) -> None:
    """Asks whether the release channel offers the version."""
    channel = "EXTENDED" if versions.extended else "REGULAR"
    place = planning.location.region
    for version in dict.fromkeys(filter(None, (versions.control_plane, versions.system, versions.nodes))):
        planning.ask(Question(about="gke-version", subject=f"channel {channel}", needed=version, place=place))
