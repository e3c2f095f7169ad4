"""The simulated AWS: one account, any number of regions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sandbox.clouds.aws import invokes, models, names, replacements, rules
from sandbox.clouds.aws.identity import hex_id
from sandbox.clouds.aws.model import MODELS, Model, Thing
from sandbox.clouds.aws.tags import all_tags
from sandbox.clouds.cloud import Account, Cloud, CloudError, Made, Resource
from sandbox.clouds.diff import Change, changes, property_names
from sandbox.clouds.ledger import Entry, Ledger
from sandbox.clouds.schema import ResourceType
from sandbox.clouds.validate import Failure
from sandbox.clouds.values import UNKNOWN, plain
from sandbox.narrow import is_object, mapping

__all__ = ["Aws", "AwsAccount"]

models.load()

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")
_GLOBAL = "global"
"""Scope of types without a region, such as IAM's."""


class Aws(Cloud):
    """The package `aws`."""

    package = "aws"

    def check_config(self, config: Mapping[str, Any]) -> list[Failure]:
        """A region in the form of one; which regions exist changes, and is not the sandbox's to know."""
        region = config.get("region")
        if isinstance(region, str) and not _REGION.fullmatch(region):
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


class AwsAccount(Account):
    """One provider instance."""

    def __init__(self, ledger: Ledger, region: str, default_tags: Mapping[str, str]) -> None:
        super().__init__(ledger)
        self.region = region
        self._default_tags = default_tags

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        """The region; "global" for types without one, such as IAM's."""
        if "region" not in type_.outputs:
            return _GLOBAL
        own = values.get("region")
        return own if isinstance(own, str) and own else self.region

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        return names.with_name(resource, seed)

    def replaces(self, resource: Resource, change: Change) -> bool | None:
        return replacements.replaces(resource, change)

    def deletes_first(self, resource: Resource) -> bool:
        """As the bridge: a name of the program's own choice cannot exist twice."""
        prop = names.name_property(resource)
        if prop is None or resource.inputs.get(prop) is None:
            return False
        same = resource.inputs[prop] == resource.old_inputs.get(prop)
        return same and not names.is_generated(resource.inputs, prop)

    def derived(self, resource: Resource) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        if "tagsAll" in resource.type.outputs:
            found["tagsAll"] = all_tags(resource.inputs.get("tags"), self._default_tags)
        if "region" in resource.type.outputs:
            own = resource.inputs.get("region")
            found["region"] = self.region if own is None else own
        return found

    def known(self, resource: Resource) -> Mapping[str, Any]:
        found = dict(self.derived(resource))
        model = MODELS.get(resource.token)
        if model is None:
            return found
        if resource.outputs:
            moved = _changed(resource) - model.keeping
            return found | dict.fromkeys(model.changing if moved else (), UNKNOWN)
        for name, keys in model.nested.items():
            if is_object(resource.inputs.get(name)):
                found[name] = {**resource.inputs[name], **dict.fromkeys(keys, UNKNOWN)}
        return found

    def create(self, resource: Resource) -> Made:
        thing = self._thing(resource)
        model = MODELS.get(resource.token)
        id_ = _make_id(model, thing)
        return self._made(resource, model, self._thing(resource, id_))

    def update(self, resource: Resource) -> Made:
        return self._made(resource, MODELS.get(resource.token), self._thing(resource, resource.id))

    def delete(self, entry: Entry) -> None:
        if entry.type == "aws:eks/cluster:Cluster":
            self.ledger.remove_scope(str(entry.outputs["endpoint"]))

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        return invokes.answer(token, args, self.region)

    def _thing(self, resource: Resource, id_: str = "") -> Thing:
        prop = names.name_property(resource)
        inputs = plain(resource.inputs)
        scope = self.scope(resource.type, inputs)
        return Thing(
            token=resource.token,
            id=id_,
            name=str(inputs.get(prop) or "") if prop else "",
            scope=scope,
            region="" if scope == _GLOBAL else scope,
            inputs=inputs,
            previous=plain(resource.outputs),
            tags=plain(all_tags(resource.inputs.get("tags"), self._default_tags)),
            changed=_changed(resource),
            ledger=self.ledger,
        )

    def _made(self, resource: Resource, model: Model | None, thing: Thing) -> Made:
        rules.enforce(thing)
        computed: dict[str, Any] = dict(self.derived(resource))
        if model is not None:
            left_out = {key: value for key, value in model.defaults.items() if resource.inputs.get(key) is None}
            computed |= left_out
            computed |= {key: value for key, value in model.outputs(thing).items() if value != thing.inputs.get(key)}
        elif "arn" in resource.type.outputs and not thing.previous:
            service = resource.token.split(":")[1].split("/")[0]
            computed["arn"] = thing.arn(service, f"{resource.token.rsplit(':', 1)[-1]}/{thing.id}")
        return Made(id=thing.id, name=thing.name, outputs=computed)


def _make_id(model: Model | None, thing: Thing) -> str:
    if model is not None:
        return model.id(thing)
    kind = thing.token.rsplit(":", 1)[-1].lower()
    return thing.name or hex_id(kind)


def _changed(resource: Resource) -> frozenset[str]:
    found = changes(resource.old_inputs, resource.inputs) if resource.outputs else []
    return frozenset(property_names(change.path)[0] for change in found)
