# ruff: noqa: ARG002 - the signatures are those of `Account`
"""The simulated API server of one cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from gpucluster.sandbox.clouds.cloud import Account, Made, Resource, UnansweredError
from gpucluster.sandbox.clouds.diff import Change, property_names
from gpucluster.sandbox.clouds.kubernetes import aks, gke, karpenter, kueue, replacements, rules
from gpucluster.sandbox.clouds.kubernetes.chart_values import unknown_values
from gpucluster.sandbox.clouds.kubernetes.clusters import STAND_IN, cluster_at
from gpucluster.sandbox.clouds.kubernetes.live import live
from gpucluster.sandbox.clouds.kubernetes.objects import (
    AUTONAMED,
    RELEASE,
    name_of,
    object_id,
    with_metadata,
    with_release_name,
)
from gpucluster.sandbox.clouds.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.schema import ResourceType
from gpucluster.sandbox.clouds.validate import Failure
from gpucluster.sandbox.clouds.values import UNKNOWN, plain
from gpucluster.sandbox.type_guards import mapping


class Cluster(Account):
    """The API server of one cluster."""

    def __init__(self, ledger: Ledger, server: str, config: Mapping[str, Any]) -> None:
        super().__init__(ledger)
        self.server = server
        self._namespace = str(config.get("namespace") or "default")
        self._mutable = {
            "ConfigMap": config.get("enableConfigMapMutable") is True,
            "Secret": config.get("enableSecretMutable") is True,
        }

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        return self.server

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        if resource.token == RELEASE:
            return with_release_name(resource, self._namespace, seed)
        return with_metadata(resource, self._namespace, seed)

    def failures(self, resource: Resource) -> list[Failure]:
        found = super().failures(resource)
        return [*found, *unknown_values(resource.inputs)] if resource.token == RELEASE else found

    def replaces(self, resource: Resource, change: Change) -> bool:
        name = property_names(change.path)[0]
        if resource.token == RELEASE:
            return name in ("name", "namespace")
        if self._mutable.get(resource.token.rsplit(":", 1)[-1]) and name != "metadata":
            return False
        return replacements.replaces(resource.token, change)

    def deletes_first(self, resource: Resource) -> bool:
        """A name from the program cannot exist twice."""
        if resource.token == RELEASE or name_of(resource.inputs) != name_of(resource.old_inputs):
            return resource.token == RELEASE and object_id(resource.inputs) == object_id(resource.old_inputs)
        annotations = mapping(mapping(plain(resource.inputs.get("metadata"))).get("annotations"))
        return bool(annotations.get(AUTONAMED) != "true")

    def known(self, resource: Resource) -> Mapping[str, Any]:
        return {"status": UNKNOWN} if resource.token == RELEASE and resource.outputs else {}

    def name(self, resource: Resource) -> str:
        return name_of(resource.inputs)

    def check_effective(self, resource: Resource, ineffective: Sequence[Entry]) -> None:
        rules.check_rights(resource, self.ledger, self.server, ineffective)

    def create(self, resource: Resource) -> Made:
        if self.server != STAND_IN:
            rules.check_reachable(self.ledger, self.server)
            rules.check_definition(resource, self.ledger, self.server)
            rules.check_namespace(resource, self.ledger, self.server)
        rules.check_name_is_free(resource, self.ledger, self.server)
        return Made(id=object_id(resource.inputs), name=name_of(resource.inputs), outputs=self.accept(resource))

    def update(self, resource: Resource) -> Made:
        if self.server != STAND_IN:
            rules.check_reachable(self.ledger, self.server)
        return Made(id=resource.id, name=name_of(resource.inputs), outputs=self.accept(resource))

    def accept(self, resource: Resource) -> dict[str, Any]:
        """The outputs of an object other than its inputs; raises CloudError if its kind does not allow its content."""
        karpenter.check_labels(resource)
        gke.check_object(resource)
        aks.check_object(resource, cluster_at(self.ledger, self.server))
        return live(resource)

    def delete(self, entry: Entry) -> bool:
        """Deletes a namespace with its objects, as in a real cluster."""
        karpenter.check_removal(entry, self.ledger, self.server)
        kueue.check_removal(entry, self.ledger, self.server)
        if entry.type != "kubernetes:core/v1:Namespace":
            return True
        for other in self.ledger.under(entry.id):
            if other.scope == self.server:
                self.ledger.remove(other.provider, other.scope, other.type, other.id)
        return True

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        if token == "kubernetes:yaml:decode":
            return {"result": [document for document in yaml.safe_load_all(str(args["text"])) if document]}
        raise UnansweredError(token)
