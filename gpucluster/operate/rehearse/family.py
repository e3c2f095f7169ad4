"""The results of a manifest in the cluster: its objects by ownership, and their events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.api_server.client import Client, ObjectRefused

Object = Mapping[str, Any]

_WORKLOAD: Final = ("kueue.x-k8s.io/v1beta2", "Workload")
_MADE: Final = (
    ("v1", "Pod"),
    ("batch/v1", "Job"),
    ("apps/v1", "ReplicaSet"),
    ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    _WORKLOAD,
)
"""Kinds that controllers create for jobs and services."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """pods, workloads: those that the object owns directly or indirectly. events: warnings about any of them, by
    time.
    """

    pods: tuple[Object, ...] = ()
    workloads: tuple[Object, ...] = ()
    events: tuple[Object, ...] = ()


@dataclass(frozen=True)
class Families:
    """Finds the families of objects in one cluster."""

    client: Client
    _owners: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def made_for(self, uid: str, namespace: str) -> tuple[str, ...]:
        """Remaining objects that controllers created for the object, as `Pod name`.

        An object with a deleted owner is found only by an instance that has seen the owner. Raises ObjectRefused.
        """
        return tuple(
            f"{kind} {mapping(one.get('metadata')).get('name')}"
            for api_version, kind in _MADE
            for one in self._owned(api_version, kind, namespace, uid)
        )

    def of(self, uid: str, namespace: str) -> Family:
        """The family of the object with this uid. Raises ObjectRefused if the server does not answer."""
        pods = self._owned("v1", "Pod", namespace, uid)
        workloads = self._owned(*_WORKLOAD, namespace, uid)
        related = {uid, *(_uid(one) for one in (*pods, *workloads)), *self._between(uid)}
        events = [
            event
            for event in self._listed("v1", "Event", namespace)
            if mapping(event.get("involvedObject")).get("uid") in related and event.get("type") == "Warning"
        ]
        return Family(pods=tuple(pods), workloads=tuple(workloads), events=tuple(sorted(events, key=_time)))

    def _owned(self, api_version: str, kind: str, namespace: str, uid: str) -> list[Object]:
        return [
            item
            for item in self._listed(api_version, kind, namespace)
            if uid == _uid(item) or uid in self._ancestors(item, namespace)
        ]

    def _listed(self, api_version: str, kind: str, namespace: str) -> list[Object]:
        if not self.client.knows(api_version, kind):
            return []
        return [*self.client.list(api_version, kind, namespace=namespace)]

    def _ancestors(self, item: Object, namespace: str) -> set[str]:
        """Uids of its owners, direct and indirect. Owners of owners are requested once: they never change."""
        found: set[str] = set()
        for owner in _references(item):
            own = str(owner.get("uid"))
            if own not in self._owners:
                self._owners[own] = tuple(self._above(owner, namespace))
            found |= {own, *self._owners[own]}
        return found

    def _above(self, owner: Object, namespace: str) -> set[str]:
        named = {"name": owner.get("name"), "namespace": namespace}
        try:
            there = self.client.get({"apiVersion": owner["apiVersion"], "kind": owner["kind"], "metadata": named})
        except ObjectRefused:
            there = None
        return self._ancestors(there, namespace) if there is not None else set()

    def _between(self, uid: str) -> set[str]:
        """Uids of the owners that are descendants of the object."""
        return {own for own, above in self._owners.items() if uid in above}


def _references(item: Object) -> Iterable[Object]:
    return map(mapping, items(mapping(item.get("metadata")).get("ownerReferences")))


def _uid(item: Object) -> str:
    return str(mapping(item.get("metadata")).get("uid"))


def _time(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")
