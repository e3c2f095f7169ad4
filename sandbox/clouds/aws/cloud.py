"""The simulated AWS: one account, any number of regions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.aws import invokes, models, names, node_group_update, replacements, rules
from gpucluster.sandbox.clouds.aws.identity import hex_id
from gpucluster.sandbox.clouds.aws.model import MODELS, ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import RULES
from gpucluster.sandbox.clouds.aws.tags import all_tags, refused_tags
from gpucluster.sandbox.clouds.cloud import Account, Cloud, CloudError, Resource
from gpucluster.sandbox.clouds.diff import Change
from gpucluster.sandbox.clouds.kubernetes.chart_values import unknown_configuration
from gpucluster.sandbox.clouds.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.limits import Limits
from gpucluster.sandbox.clouds.model import load
from gpucluster.sandbox.clouds.modelled import Modelled, changed_inputs
from gpucluster.sandbox.clouds.schema import ResourceType
from gpucluster.sandbox.clouds.validate import Failure
from gpucluster.sandbox.clouds.values import plain
from gpucluster.sandbox.type_guards import mapping

for _package in (models, rules):
    load(_package.__path__, _package.__name__)

_REGION = r"[a-z]{2}(-[a-z]+)+-\d"
_LIMITS: Final = Limits("gpucluster.sandbox.clouds.aws")
_GLOBAL = "global"
"""Scope of types without a region, such as IAM's."""


class Aws(Cloud):
    """The package `aws`."""

    package = "aws"

    def check_config(self, config: Mapping[str, Any]) -> list[Failure]:
        """Checks the form of a region; the sandbox does not check whether it exists, because the list changes."""
        region = config.get("region")
        if isinstance(region, str) and not re.fullmatch(_REGION, region):
            return [Failure("region", f"invalid AWS Region: {region}; a region looks like us-east-1")]
        return []

    def config_replaces(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
        return ["region"] if old.get("region") != new.get("region") else []

    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        region = config.get("region")
        if not region:
            where = "set it in the stack's file, or `region=` on a provider"
            raise CloudError(f'missing required configuration key "aws:region"; {where}')
        default_tags = mapping(mapping(config.get("defaultTags")).get("tags"))
        return AwsAccount(ledger, region, default_tags)


class AwsAccount(Modelled[ManagedResource]):
    """One provider instance."""

    def __init__(self, ledger: Ledger, region: str, default_tags: Mapping[str, str]) -> None:
        super().__init__(ledger, MODELS)
        self.region = region
        self._default_tags = default_tags

    @property
    def place(self) -> Mapping[str, Any]:
        return {"region": self.region}

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        """The region; "global" for types without one, such as IAM's."""
        if "region" not in type_.outputs:
            return _GLOBAL
        own = values.get("region")
        return own if isinstance(own, str) and own else self.region

    def failures(self, resource: Resource) -> list[Failure]:
        tags = all_tags(resource.inputs.get("tags"), self._default_tags)
        return super().failures(resource) or [
            *_LIMITS.failures(resource.token, resource.inputs),
            *(Failure("tags", found.message) for found in refused_tags(resource.token, tags)),
            *(unknown_configuration(resource.inputs) if resource.token == "aws:eks/addon:Addon" else ()),
        ]

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        return names.with_name(resource, seed)

    def replaces(self, resource: Resource, change: Change) -> bool | None:
        return replacements.replaces(resource, change)

    def name_property(self, resource: Resource) -> str | None:
        return names.name_property(resource)

    def derived(self, resource: Resource) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        if "tagsAll" in resource.type.outputs:
            found["tagsAll"] = all_tags(resource.inputs.get("tags"), self._default_tags)
        if "region" in resource.type.outputs:
            own = resource.inputs.get("region")
            found["region"] = self.region if own is None else own
        return found

    def before_update(self, resource: Resource) -> tuple[Mapping[str, Any], str] | None:
        return node_group_update.version_first(resource)

    def delete(self, entry: Entry) -> bool:
        if entry.type == "aws:eks/cluster:Cluster":
            self.ledger.remove_scope(str(entry.outputs["endpoint"]))
        return True

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        return invokes.answer(token, args, self.region, self.ledger)

    def managed(self, resource: Resource, id_: str = "") -> ManagedResource:
        prop = names.name_property(resource)
        inputs = plain(resource.inputs)
        scope = self.scope(resource.type, inputs)
        return ManagedResource(
            token=resource.token,
            id=id_,
            name=str(inputs.get(prop) or "") if prop else "",
            scope=scope,
            region="" if scope == _GLOBAL else scope,
            inputs=inputs,
            previous=plain(resource.outputs),
            tags=plain(all_tags(resource.inputs.get("tags"), self._default_tags)),
            changed=changed_inputs(resource),
            ledger=self.ledger,
        )

    def enforce(self, managed: ManagedResource) -> None:
        RULES.enforce(managed.token, managed)

    def plain_id(self, managed: ManagedResource) -> str:
        return managed.name or hex_id(managed.token.rsplit(":", 1)[-1].lower())

    def plain_outputs(self, resource: Resource, managed: ManagedResource) -> Mapping[str, Any]:
        if "arn" not in resource.type.outputs or managed.previous:
            return {}
        service = resource.token.split(":")[1].split("/")[0]
        return {"arn": managed.arn(service, f"{resource.token.rsplit(':', 1)[-1]}/{managed.id}")}


SIMULATED: Final = Aws
