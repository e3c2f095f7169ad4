"""Resources of a stack in a project of Google Cloud: by their labels, and by name those that can have none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pydantic import Field

from gpucluster.components.gcp.location import Location
from gpucluster.components.planning.labels import gcp_labels
from gpucluster.operate.account.inventories.ask import KEYS
from gpucluster.operate.account.inventory import ResourceKind
from gpucluster.operate.clients.cannot_ask import explaining
from gpucluster.operate.clients.gcp.client import Client, Page, Reading, last
from gpucluster.operate.clients.gcp.errors import explained
from gpucluster.operate.clients.gcp.login import client_at

_COMPUTE: Final = "compute.googleapis.com"


class _Version(Reading):
    resource: Mapping[str, Any] = Field(default_factory=dict[str, Any])


class _Asset(Reading):
    name: str
    asset_type: str
    location: str = ""
    labels: Mapping[str, str] = Field(default_factory=dict[str, str])
    versioned_resources: Sequence[_Version] = ()


class _Assets(Page):
    results: Sequence[_Asset] = ()


def labels_of(project: str, stack: str) -> Mapping[str, str]:
    """Labels."""
    every = gcp_labels({}, project=project, stack=stack, name="")
    return {key: every[key] for key in KEYS}


def log_in(location: Location) -> object:
    """Raises CannotAsk without a good login."""
    return client_at(location.project)


def found(location: Location, labels: Mapping[str, str], name: str, stack: str) -> Sequence[ResourceKind]:
    """The assets with both labels, without keys that have no version left, then networks and what is in them, and
    placement policies. The inventory follows changes within minutes.
    """
    del stack
    with explaining(explained):
        client, _ = client_at(location.project)
        things = [thing for thing in _labelled(client, labels) if not _ended(client, thing)]
        return [*things, *_by_name(client, location.region, labels, name)]


def _labelled(client: Client, labels: Mapping[str, str]) -> Iterator[ResourceKind]:
    # Source: Cloud Asset API v1, searchAllResources, query and readMask.
    asked = {
        "scope": f"projects/{client.project}",
        "query": " AND ".join(f"labels.{key}={value}" for key, value in labels.items()),
        "readMask": "name,assetType,location,labels,versionedResources",
    }
    assets = [one for page in client.pages("cloudasset:v1", "v1.searchAllResources", _Assets, **asked)
              for one in page.results]  # fmt: skip
    clusters = {last(one.name): one.name for one in assets if one.asset_type == "container.googleapis.com/Cluster"}
    for one in assets:
        thing = ResourceKind(kind=one.asset_type, whole=one.name, place=one.location, project=client.project)
        resource: Mapping[str, Any] = one.versioned_resources[0].resource if one.versioned_resources else {}
        # Of nodes and their boot disks; volumes of pods outlive the cluster. Source: GKE documentation, "Creating and
        # managing cluster labels", labels that GKE applies.
        held = clusters.get(one.labels.get("goog-k8s-cluster-name", "")) if "goog-gke-node" in one.labels else None
        size = _SIZES.get(one.asset_type)
        yield replace(size(thing, resource) if size else thing, held=held or "")


def _machine(thing: ResourceKind, one: Mapping[str, Any]) -> ResourceKind:
    if one.get("status") in ("TERMINATED", "STOPPED", "SUSPENDED"):
        return replace(thing, free="stopped; its disks are billed by themselves")
    scheduling = one.get("scheduling", {})
    kept = {key: scheduling[key] for key in ("preemptible", "provisioningModel") if key in scheduling}
    inputs = {
        "machineType": last(one.get("machineType", "")),
        "zone": thing.place,
        "scheduling": kept,
        "bootDisk": {"source": "a disk of the inventory"},
    }
    return replace(thing, inputs=inputs)


def _disk(thing: ResourceKind, one: Mapping[str, Any]) -> ResourceKind:
    inputs = {"type": last(one.get("type", "")), "size": _number(one, "sizeGb"), "zone": thing.place}
    return replace(thing, inputs=_known(inputs))


def _lustre(thing: ResourceKind, one: Mapping[str, Any]) -> ResourceKind:
    inputs = {key: _number(one, key) for key in ("capacityGib", "perUnitStorageThroughput")}
    return replace(thing, inputs=_known({**inputs, "location": thing.place}))


def _filestore(thing: ResourceKind, one: Mapping[str, Any]) -> ResourceKind:
    shares = [{"capacityGb": _number(share, "capacityGb")} for share in one.get("fileShares", [])]
    inputs = {"tier": one.get("tier"), "fileShares": shares[0] if shares else None, "location": thing.place}
    return replace(thing, inputs=_known(inputs))


def _address(thing: ResourceKind, one: Mapping[str, Any]) -> ResourceKind:
    return replace(thing, inputs=_known({"addressType": one.get("addressType"), "region": thing.place}))


_SIZES: Final[Mapping[str, Callable[[ResourceKind, Mapping[str, Any]], ResourceKind]]] = {
    f"{_COMPUTE}/Address": _address,
    f"{_COMPUTE}/Disk": _disk,
    f"{_COMPUTE}/Instance": _machine,
    "file.googleapis.com/Instance": _filestore,
    "lustre.googleapis.com/Instance": _lustre,
}
"""Sources: REST references of Compute Engine v1, Filestore v1 and Managed Lustre v1, the resource of each."""


def _number(one: Mapping[str, Any], key: str) -> int | None:
    """APIs write numbers of 64 bits as text."""
    return int(one[key]) if key in one else None


def _known(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in inputs.items() if value not in (None, "")}


class _KeyVersion(Reading):
    state: str = ""


class _KeyVersions(Page):
    crypto_key_versions: Sequence[_KeyVersion] = ()


_ENDED: Final = frozenset({"DESTROYED", "DESTROY_SCHEDULED"})
"""Source: Cloud KMS API v1, CryptoKeyVersionState."""


def _ended(client: Client, thing: ResourceKind) -> bool:
    """Whether it is a key without versions, which is all that a destroy can leave of one."""
    if thing.kind != "cloudkms.googleapis.com/CryptoKey":
        return False
    method = "projects.locations.keyRings.cryptoKeys.cryptoKeyVersions.list"
    pages = client.pages("cloudkms:v1", method, _KeyVersions, parent=thing.path)
    return all(version.state in _ENDED for page in pages for version in page.crypto_key_versions)


class _Named(Reading):
    name: str


class _InNetwork(_Named):
    network: str = ""


class _Peered(_Named):
    peerings: Sequence[_Named] = ()


class _Router(_InNetwork):
    nats: Sequence[_Named] = ()


class _Networks(Page):
    items: Sequence[_Peered] = ()


class _Routers(Page):
    items: Sequence[_Router] = ()


class _Others(Page):
    items: Sequence[_InNetwork] = ()


_PEERING: Final = "servicenetworking-googleapis-com"
"""The name that Google gives to the peering with its services. Source: Service Networking documentation, "Private
services access"."""


def _by_name(client: Client, region: str, labels: Mapping[str, str], name: str) -> Iterator[ResourceKind]:
    """name: of the spec, with which the names of the stack begin; Pulumi ends them in 7 more characters. What a
    cluster of another stack uses is left out: its spec may have the same name.
    """
    pattern = re.compile(
        rf"{re.escape(name)}-(network-(vpc|nodes|router|nat|private-range|gpu-(\d+(-inside|-subnet)?|roce))"
        r"|(training|mig)-placement|storage-lustre)-[0-9a-f]{7}"
    )
    others = _of_others(client, labels)
    made = partial(ResourceKind, project=client.project)
    base, here = f"//{_COMPUTE}/projects/{client.project}", f"regions/{region}"

    def of_stack(one: _Named) -> bool:
        used = {one.name, last(getattr(one, "network", ""))}
        return pattern.fullmatch(one.name) is not None and not used & others

    def listed(method: str, shape: type[Any], **parameters: str) -> Iterator[Any]:
        filtered = {"filter": f'name eq "{name}-.*"', **parameters}
        pages = client.pages("compute:v1", f"{method}.list", shape, project=client.project, **filtered)
        yield from (one for page in pages for one in page.items if of_stack(one))

    for network in listed("networks", _Networks):
        whole = f"{base}/global/networks/{network.name}"
        yield made(kind=f"{_COMPUTE}/Network", whole=whole, place="global")
        for peering in network.peerings:
            if peering.name == _PEERING:
                yield made(kind="peering", whole=f"{whole}/peerings/{_PEERING}", place="global")
    for router in listed("routers", _Routers, region=region):
        whole = f"{base}/{here}/routers/{router.name}"
        yield made(kind=f"{_COMPUTE}/Router", whole=whole, place=region)
        for nat in router.nats:
            yield made(kind="NAT", whole=f"{whole}/nats/{nat.name}", place=region, inputs={"region": region})
    for method, kind, at, parameters in (
        ("subnetworks", "Subnetwork", here, {"region": region}),
        ("firewalls", "Firewall", "global", {}),
        ("globalAddresses", "GlobalAddress", "global", {}),
        ("resourcePolicies", "ResourcePolicy", here, {"region": region}),
    ):
        for one in listed(method, _Others, **parameters):
            inputs = {"addressType": "INTERNAL"} if kind == "GlobalAddress" else {}
            place = region if at == here else "global"
            yield made(kind=f"{_COMPUTE}/{kind}", whole=f"{base}/{at}/{method}/{one.name}", place=place, inputs=inputs)


class _Policy(Reading):
    policy_name: str = ""


class _Interface(Reading):
    network: str = ""


class _PoolNetwork(Reading):
    additional_node_network_configs: Sequence[_Interface] = ()


class _Pool(Reading):
    placement_policy: _Policy = _Policy()
    network_config: _PoolNetwork = _PoolNetwork()


class _Cluster(Reading):
    network: str = ""
    resource_labels: Mapping[str, str] = Field(default_factory=dict[str, str])
    node_pools: Sequence[_Pool] = ()


class _Clusters(Reading):
    clusters: Sequence[_Cluster] = ()


def _of_others(client: Client, labels: Mapping[str, str]) -> set[str]:
    """Names of networks and placement policies that clusters without the stack's labels use."""
    asked = {"parent": f"projects/{client.project}/locations/-"}
    used: set[str] = set()
    for one in client.ask("container:v1", "projects.locations.clusters.list", _Clusters, **asked).clusters:
        if labels.items() <= one.resource_labels.items():
            continue
        used.add(last(one.network))
        for pool in one.node_pools:
            used.add(pool.placement_policy.policy_name)
            used |= {last(interface.network) for interface in pool.network_config.additional_node_network_configs}
    return used - {""}
