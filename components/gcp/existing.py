"""Existing Google Cloud resources that a spec refers to: network, file system, key. Imports no Pulumi."""

from __future__ import annotations

import re

from gpucluster.components.address_ranges import is_range
from gpucluster.components.gcp.location import Location
from gpucluster.components.mounted import mounted_problems
from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.data import OWN
from gpucluster.components.spec.own_things import ClusterNetwork, ExistingNetwork
from gpucluster.components.teams import named_people

_NAME = r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?"
_PROJECT = r"projects/(?P<project>[a-z][a-z0-9-]{4,28}[a-z0-9])"
_NETWORK = rf"^{_PROJECT}/global/networks/{_NAME}$"
_SUBNET = rf"^{_PROJECT}/regions/(?P<region>[a-z0-9-]+)/subnetworks/{_NAME}$"
_FILES = rf"^{_PROJECT}/locations/(?P<zone>[a-z0-9-]+)/instances/{_NAME}$"
_KEY = rf"^{_PROJECT}/locations/(?P<region>[a-z0-9-]+)/keyRings/[\w-]{{1,63}}/cryptoKeys/[\w-]{{1,63}}$"

_LEAVES = "destroy, or removal from the spec, leaves"


def existing_problems(spec: ClusterSpec) -> list[Problem]:
    """Ids that are not Google Cloud's."""
    problems = mounted_problems(
        spec.storage.shared, _FILES, "projects/my-project/locations/us-central1-b/instances/shared"
    )
    if spec.secrets_key is not None and not re.fullmatch(_KEY, spec.secrets_key):
        example = "projects/my-project/locations/us-central1/keyRings/mine/cryptoKeys/secrets"
        problems.append(Problem("secrets_key", f"is {spec.secrets_key!r}", f"write the id of a key, such as {example}"))
    if spec.network.existing is not None:
        problems += _network_problems(spec, spec.network.existing)
    return problems


def _network_problems(spec: ClusterSpec, existing: ExistingNetwork) -> list[Problem]:
    at = "network.existing"
    problems: list[Problem] = []
    if not re.fullmatch(_NETWORK, existing.id):
        problems.append(Problem(f"{at}.id", f"is {existing.id!r}", "write projects/my-project/global/networks/NAME"))
    if not re.fullmatch(_SUBNET, existing.nodes):
        example = "write projects/my-project/regions/us-central1/subnetworks/NAME"
        problems.append(Problem(f"{at}.nodes", f"is {existing.nodes!r}", example))
    if existing.others:
        problems.append(Problem(f"{at}.others", "is set, but on Google Cloud all nodes share one subnet", "remove it"))
    if existing.egress != "nat":
        problems.append(Problem(f"{at}.egress", "is set, but Google Cloud does not use it", "remove it"))
    problems += [
        Problem(
            f"{at}.{name}",
            "is missing" if value is None else f"is {value!r}",
            f"write the name of the subnet's secondary range for {name}, such as {name}: 1 to 63 lower-case letters, "
            "digits and hyphens, starting with a letter",
        )
        for name, value in (("pods", existing.pods), ("services", existing.services))
        if value is None or not re.fullmatch(_NAME, value)
    ]
    problems += [
        Problem(
            f"network.ranges.{name}", "is set, but the cluster uses the secondary ranges of your subnet", "remove it"
        )
        for name, value in (("pods", spec.network.ranges.pods), ("services", spec.network.ranges.services))
        if value is not None
    ]
    if (spec.storage.shared.makes_lustre or spec.storage.home is not None) and existing.storage is None:
        fix = "write its private services access range, for file systems, such as 10.30.0.0/20"
        problems.append(Problem(f"{at}.storage", "is missing", fix))
    if existing.storage is not None and not is_range(existing.storage):
        problems.append(Problem(f"{at}.storage", f"is {existing.storage!r}", "write a range such as 10.30.0.0/20"))
    return problems


def existing_place_problems(spec: ClusterSpec, location: Location) -> list[Problem]:
    """Resources in another project or region, in the terms of the stack's configuration.

    A network of another project (Shared VPC) is refused: the cluster's service accounts would have to create resources
    there, such as firewall rules.
    """
    key = re.fullmatch(_KEY, spec.secrets_key or "")
    network, subnet = (
        (None, None)
        if spec.network.existing is None
        else (re.fullmatch(_NETWORK, spec.network.existing.id), re.fullmatch(_SUBNET, spec.network.existing.nodes))
    )
    regions = {"secrets_key": key, "network.existing.nodes": subnet}
    problems = [
        Problem("region", f"is {location.region!r}, but {name} of the spec is in {found['region']}", "use one")
        for name, found in regions.items()
        if found is not None and found["region"] != location.region
    ]
    return problems + [
        Problem(
            "project",
            f"is {location.project!r}, but {name} of the spec is in {found['project']}: a Shared VPC is not supported",
            "write a network of this project",
        )
        for name, found in {"network.existing.id": network, "network.existing.nodes": subnet}.items()
        if found is not None and found["project"] != location.project
    ]


def existing_notes(spec: ClusterSpec, *, nat: bool, mtu: int) -> list[str]:
    """What the user's network and key must be, and what happens to them and to permissions for what is the user's.

    nat: nodes reach the internet. mtu: bytes.
    """
    return [*_network_notes(spec.network, nat=nat, mtu=mtu), *_key_notes(spec.secrets_key), *_kept_notes(spec)]


def _network_notes(asked: ClusterNetwork, *, nat: bool, mtu: int) -> list[str]:
    """Requirements on the user's network, which a plan can't look up.

    Sources: GKE documentation, "VPC-native clusters"; Managed Lustre documentation, "Configure a VPC network".
    """
    existing = asked.existing
    if existing is None:
        return []
    out = ", and Cloud NAT or your proxy" if nat else ""
    storage = (
        ""
        if existing.storage is None
        else f", and private services access (servicenetworking.googleapis.com) with {existing.storage}"
    )
    return [
        f"network: {existing.id} is your network: the cluster adds firewall rules, and destroy removes only these; it "
        f"must have an MTU of {mtu:,}, as the GPU networks, which the cluster creates",
        f"network: {existing.nodes} must have addresses of {existing.cidr}, Private Google Access, the secondary "
        f"ranges {existing.pods} and {existing.services}{out}{storage}",
    ]


def _kept_notes(spec: ClusterSpec) -> list[str]:
    """Permissions that stay, since another cluster of the project may use the same ones."""
    linked = spec.storage.shared.bucket
    named = (bucket for it in spec.identities.values() for bucket in (*it.reads, *it.writes))
    buckets = sorted({bucket for bucket in (*named, *([linked] if linked else [])) if bucket != OWN})
    people = sorted({*spec.access.admins, *(who for _, who in named_people(spec))})
    kept = {
        f"buckets: {_LEAVES} access to {', '.join(buckets)}": buckets and "gcloud storage buckets",
        f"access: {_LEAVES} roles/container.clusterViewer of {', '.join(people)}": people and "gcloud projects",
    }
    shared = "which other clusters of the project may use; if none does, remove it"
    return [f"{what}, {shared}: {command} remove-iam-policy-binding" for what, command in kept.items() if command]


def _key_notes(key: str | None) -> list[str]:
    """key: the user's, for Kubernetes secrets; None if the cluster creates its own."""
    if key is None:
        return []
    return [
        f"secrets_key: {key} is your key: destroy leaves GKE's permission to use it, which all clusters of the project "
        "share; if none is left, remove it: gcloud kms keys remove-iam-policy-binding"
    ]
