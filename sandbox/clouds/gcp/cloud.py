# ruff: noqa: ARG002 - the signatures are those of `Cloud` and `Account`
"""The properties whose change replaces a resource: `replacements.csv`, and the few that depend on the values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.cloud import Account, Change, Cloud, Resource, SettingError, property_names
from gpucluster.sandbox.clouds.gcp import deletion, invokes, names
from gpucluster.sandbox.clouds.gcp.machines import NODE_POOL
from gpucluster.sandbox.clouds.gcp.model import EXAMPLES, ManagedResource, is_zone, region_of
from gpucluster.sandbox.clouds.gcp.models import MODELS
from gpucluster.sandbox.clouds.gcp.names import CREATION_ONLY, STRATEGIES, all_labels, label_input
from gpucluster.sandbox.clouds.gcp.rules import RULES
from gpucluster.sandbox.clouds.gcp.rules.access import api_is_enabled, key_is_usable
from gpucluster.sandbox.clouds.model import Modelled, changed_inputs, listed, random_hex
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.limits import Limits
from gpucluster.sandbox.clouds.types.schema import ResourceType
from gpucluster.sandbox.clouds.types.validate import Failure
from gpucluster.sandbox.clouds.types.values import UNKNOWN, plain


def replaces(resource: Resource, change: Change) -> bool | None:
    """Whether this change replaces the resource; None if the table has no answer for the property."""
    path = property_names(change.path)
    condition = _CONDITIONS.get((resource.token, path[0]))
    if condition is not None and condition(resource):
        return True
    return listed("sandbox/clouds/gcp/replacements.csv", resource.token, path)


def _range_is_no_longer_inside(resource: Resource) -> bool:
    """The range of a subnetwork grows in place.

    Source: hashicorp/terraform-provider-google-beta compute/resource_compute_subnetwork.go, IsShrinkageIpCidr.
    """
    old, new = resource.old_inputs.get("ipCidrRange"), resource.inputs.get("ipCidrRange")
    if not isinstance(old, str) or not isinstance(new, str):
        return True
    try:
        before, after = ip_network(old, strict=False), ip_network(new, strict=False)
    except ValueError:
        return True
    return before.version != after.version or not before.subnet_of(after)  # pyright: ignore[reportArgumentType]


def _disk_shrinks(resource: Resource) -> bool:
    """A disk grows in place.

    Source: hashicorp/terraform-provider-google-beta compute/resource_compute_disk.go, IsDiskShrinkage.
    """
    old, new = resource.old_inputs.get("size"), resource.inputs.get("size")
    return isinstance(old, int | float) and isinstance(new, int | float) and new < old


def _turned_off(name: str) -> Callable[[Resource], bool]:
    """Features that a cluster cannot disable.

    Source: hashicorp/terraform-provider-google-beta container/resource_container_cluster.go, isBeenEnabled.
    """

    def condition(resource: Resource) -> bool:
        return resource.old_inputs.get(name) is True and resource.inputs.get(name) is not True

    return condition


_CONDITIONS: Final[Mapping[tuple[str, str], Callable[[Resource], bool]]] = {
    ("gcp:compute/subnetwork:Subnetwork", "ipCidrRange"): _range_is_no_longer_inside,
    ("gcp:compute/disk:Disk", "size"): _disk_shrinks,
    **{
        ("gcp:container/cluster:Cluster", name): _turned_off(name)
        for name in ("enableL4IlbSubsetting", "enableFqdnNetworkPolicy")
    },
}


_REGION: Final = r"[a-z]+-(north|south|central)?(east|west|north|south|central)\d+"
_LIMITS: Final = Limits("gpucluster.sandbox.clouds.gcp")
_HOME: Final = "set `gcp:{name}` in the stack's file, or `{name}=` on the provider or the resource"

# Types for which the provider knows more than the inputs during planning (hashicorp/terraform-provider-google-beta,
# `CustomizeDiff` of each: DefaultProviderProject, DefaultProviderRegion, DefaultProviderZone).
_PROJECT_LATER: Final = frozenset({"gcp:container/cluster:Cluster", "gcp:storage/bucket:Bucket"})
_REGION_PLANNED: Final = frozenset({"gcp:compute/resourcePolicy:ResourcePolicy"})
_ZONE_PLANNED: Final = frozenset({"gcp:compute/instance:Instance"})
_ACCOUNT: Final = "gcp:serviceaccount/account:Account"

_DELETED_FIRST: Final = frozenset({"gcp:projects/iAMMember:IAMMember", "gcp:projects/iAMPolicy:IAMPolicy"})
"""Types with `DeleteBeforeReplace` in pulumi/pulumi-gcp provider/resources.go."""

_NO_PROJECT: Final = "global"
"""Scope of resources without a project, such as a grant on a bucket, if the provider has none either."""

_CLUSTER: Final = r"projects/([^/]+)/locations/([^/]+)/clusters/[^/]+$"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The configuration of a provider; empty strings for missing settings.

    strategy: when new resources get the label of attribution, None for never.
    """

    project: str = ""
    region: str = ""
    zone: str = ""
    default_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    strategy: str | None = CREATION_ONLY
    deletion_policy: str = "DELETE"


class Gcp(Cloud):
    """The package `gcp`."""

    package = "gcp"

    def check_config(self, config: Mapping[str, Any]) -> list[Failure]:
        """Checks the form of region and zone; the sandbox does not check whether they exist, because the list
        changes.
        """
        found: list[Failure] = []
        region, zone = config.get("region"), config.get("zone")
        if isinstance(region, str) and not re.fullmatch(_REGION, region):
            found.append(Failure("region", f"{region!r} is not a region; a region looks like us-central1"))
        if isinstance(zone, str) and not (is_zone(zone) and re.fullmatch(_REGION, region_of(zone))):
            found.append(Failure("zone", f"{zone!r} is not a zone; a zone looks like us-central1-a"))
        strategy = config.get("pulumiAttributionLabelAdditionStrategy")
        if isinstance(strategy, str) and strategy not in STRATEGIES:
            reason = f"unrecognized strategy {strategy!r}; known: {', '.join(STRATEGIES)}"
            found.append(Failure("pulumiAttributionLabelAdditionStrategy", reason))
        return found

    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        """A provider without a project works for resources that specify their own."""
        attributes = config.get("addPulumiAttributionLabel") is not False
        strategy = config.get("pulumiAttributionLabelAdditionStrategy") or CREATION_ONLY
        settings = Settings(
            project=str(config.get("project") or ""),
            region=str(config.get("region") or ""),
            zone=str(config.get("zone") or ""),
            default_labels=mapping(config.get("defaultLabels")),
            strategy=str(strategy) if attributes else None,
            deletion_policy=str(config.get("deletionPolicy") or "DELETE"),
        )
        return GcpAccount(ledger, settings)


class GcpAccount(Modelled[ManagedResource]):
    """One provider instance."""

    def __init__(self, ledger: Ledger, settings: Settings) -> None:
        super().__init__(ledger, MODELS, RULES)
        self._settings = settings

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        """The project: from its own property, from the path of its parent, else the provider's."""
        own = values.get("project")
        if isinstance(own, str) and own:
            return own
        for name in ("cluster", "serviceAccountId", "network", "bucket"):
            text = values.get(name)
            if isinstance(text, str) and text.startswith("projects/"):
                return text.split("/")[1]
        return self._settings.project or _NO_PROJECT

    def failures(self, resource: Resource) -> list[Failure]:
        return super().failures(resource) or [
            *names.too_long(resource),
            *_LIMITS.failures(resource.token, resource.inputs),
        ]

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        return names.with_defaults(resource, seed)

    def replaces(self, resource: Resource, change: Change) -> bool | None:
        return replaces(resource, change)

    def deletes_first(self, resource: Resource) -> bool:
        """Also the provider's own declarations."""
        return resource.token in _DELETED_FIRST or super().deletes_first(resource)

    def name_property(self, resource: Resource) -> str | None:
        return names.name_property(resource)

    def derived(self, resource: Resource) -> Mapping[str, Any]:
        """The provider's planned values: project, labels and derived outputs."""
        found: dict[str, Any] = {}
        name = label_input(resource)
        if name is not None:
            labels = all_labels(resource, name, self._settings.default_labels, self._settings.strategy)
            found |= {"pulumiLabels": labels, "effectiveLabels": labels}
        if "project" in resource.type.outputs and resource.token not in _PROJECT_LATER:
            found["project"] = self._planned(resource, "project", self._settings.project)
        if "deletionPolicy" in resource.type.outputs:
            found["deletionPolicy"] = self._planned(resource, "deletionPolicy", self._settings.deletion_policy)
        if resource.token in _REGION_PLANNED:
            region = self._settings.region or region_of(self._settings.zone)
            found["region"] = self._planned(resource, "region", region)
        if resource.token in _ZONE_PLANNED:
            found["zone"] = self._planned(resource, "zone", self._settings.zone)
        if resource.token == NODE_POOL and resource.inputs.get("upgradeSettings") is not None:
            # Compared with what GKE answers, which sets them itself for some pools: those differ for ever.
            found["upgradeSettings"] = resource.inputs["upgradeSettings"]
        if resource.token == _ACCOUNT:
            found |= _address(resource.inputs.get("accountId"), found["project"])
        return found

    def delete(self, entry: Entry) -> bool:
        return deletion.delete(entry, self.ledger)

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        if token in invokes.INSTANCE_GROUPS:
            return invokes.instance_group(args, self.ledger)
        return invokes.answer(token, args, self._settings.project, self._settings.region, self._settings.zone)

    def managed(self, resource: Resource, id_: str = "") -> ManagedResource:
        inputs = plain(resource.inputs)
        prop = names.name_property(resource)
        region, zone, location = self._place(resource, inputs)
        labels = plain(self.derived(resource).get("effectiveLabels"))
        return ManagedResource(
            token=resource.token,
            id=id_,
            name=str(inputs.get(prop) or "") if prop else str(inputs.get("instanceId") or ""),
            scope=self._project(resource, inputs),
            region=region,
            zone=zone,
            location=location,
            labels=mapping(labels),
            inputs=inputs,
            previous=plain(resource.outputs),
            changed=changed_inputs(resource),
            ledger=self.ledger,
        )

    def check_effective(self, resource: Resource, ineffective: Sequence[Entry]) -> None:
        managed = self.managed(resource)
        api_is_enabled(managed, ineffective)
        key_is_usable(managed, ineffective)

    def plain_id(self, managed: ManagedResource) -> str:
        """The path that most services use; a random name for types without one."""
        _, module, kind = managed.token.split(":")
        place = f"locations/{managed.location}" if managed.location else f"{module.split('/')[0]}"
        return f"projects/{managed.project}/{place}/{kind[0].lower()}{kind[1:]}s/{managed.name or random_hex(16)}"

    def plain_outputs(self, resource: Resource, managed: ManagedResource) -> Mapping[str, Any]:
        known = {
            "project": managed.project,
            "region": managed.region,
            "zone": managed.zone,
            "location": managed.location,
        }
        return {name: value for name, value in known.items() if name in resource.type.outputs and value}

    def _project(self, resource: Resource, inputs: Mapping[str, Any]) -> str:
        project = self.scope(resource.type, inputs)
        lacks = "project" in resource.type.inputs and project == _NO_PROJECT
        return self._needed("project", "" if lacks else project)

    def _place(self, resource: Resource, inputs: Mapping[str, Any]) -> tuple[str, str, str]:
        """Region, zone and location: the resource's own, else the provider's; raises CloudError for a missing one."""
        has = resource.type.inputs
        own = {name: str(inputs.get(name) or "").rsplit("/", 1)[-1] for name in ("region", "zone", "location")}
        of_cluster = re.search(_CLUSTER, str(inputs.get("cluster") or ""))
        zone = own["zone"] or self._settings.zone
        if "zone" in has and "location" not in has:
            zone = self._needed("zone", zone)
        region = own["region"] or region_of(own["zone"]) or self._settings.region or region_of(self._settings.zone)
        if "region" in has:
            region = self._needed("region", region)
        location = own["location"] or (of_cluster[2] if of_cluster else "")
        if "location" in has and not location:
            location = self._needed("location", own["zone"] or self._settings.region or self._settings.zone)
        return region, zone, location

    def _planned(self, resource: Resource, name: str, default: str) -> Any:
        """An input, or the default from the provider's settings."""
        own = resource.inputs.get(name)
        return self._needed(name, default) if own is None or own == "" else own

    def _needed(self, name: str, value: str) -> str:
        if not value:
            where = "region" if name == "location" else name
            message = f"{name}: required field is not set; {_HOME.format(name=where)}"
            raise SettingError(message, f"gcp:{where}", EXAMPLES[where])
        return value


def _address(account_id: Any, project: Any) -> dict[str, Any]:
    """The e-mail address of a service account, derived from its names."""
    if not isinstance(account_id, str) or not isinstance(project, str):
        return {"email": UNKNOWN, "member": UNKNOWN}
    email = f"{account_id}@{project}.iam.gserviceaccount.com"
    return {"email": email, "member": f"serviceAccount:{email}"}


SIMULATED: Final = Gcp
