"""The objects of a cluster that describe its jobs, by kubectl or from the API server of the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.operate.acceptance.runs.collect import ClusterError, Kubectl
from gpucluster.sandbox.api_server.client import Client, ObjectRefused

Object = Mapping[str, Any]
Read = Callable[[str, str], Sequence[Object] | None]
"""The objects of an API version and kind; none of a kind that the cluster does not have; None without permission."""

KINDS: Final = {
    "TrainJob": ("trainer.kubeflow.org/v1alpha1", "jobset.sigs.k8s.io/jobset-name"),
    "JobSet": ("jobset.x-k8s.io/v1alpha2", "jobset.sigs.k8s.io/jobset-name"),
    "Job": ("batch/v1", "batch.kubernetes.io/job-name"),
}
"""Kinds whose objects are jobs even without a Workload -> their API version, and the label of their pods that has their
name."""
_CONTROLLERS: Final = {
    "kueue": ("kueue-system", "kueue-controller-manager"),
    "trainer": ("kubeflow-system", "kubeflow-trainer-controller-manager"),
    "jobset": ("jobset-system", "jobset-controller-manager"),
}
"""Controller -> namespace and Deployment, by the names of the stack's releases."""


@dataclass(frozen=True, kw_only=True)
class ClusterObjects:
    """workloads: Kueue's. jobs: by kind, those that no other job created. nodes: None without permission. flavors:
    Kueue's, empty without permission. logs: of controllers, requested only if a job needs them; empty without
    permission.
    """

    workloads: Sequence[Object]
    jobs: Mapping[str, Sequence[Object]]
    pods: Sequence[Object]
    events: Sequence[Object]
    nodes: Sequence[Object] | None
    flavors: Sequence[Object]
    logs: Callable[[], Iterator[tuple[str, str]]]


def cluster_objects(read: Read, logs: Callable[[], Iterator[tuple[str, str]]], *, with_nodes: bool) -> ClusterObjects:
    """with_nodes: whether the caller needs them and the flavors. Raises ClusterError or ObjectRefused if the server
    refuses others.
    """
    return ClusterObjects(
        workloads=read("kueue.x-k8s.io/v1beta2", "Workload") or [],
        jobs={
            kind: [one for one in read(version, kind) or [] if owner_of(one) is None]
            for kind, (version, _) in KINDS.items()
        },
        pods=read("v1", "Pod") or [],
        events=read("v1", "Event") or [],
        nodes=read("v1", "Node") if with_nodes else None,
        flavors=(read("kueue.x-k8s.io/v1beta2", "ResourceFlavor") or []) if with_nodes else [],
        logs=logs,
    )


def owner_of(item: Object) -> Object | None:
    """The reference to the object that manages this one."""
    owners = map(mapping, items(mapping(item.get("metadata")).get("ownerReferences")))
    return next((owner for owner in owners if owner.get("controller")), None)


def by_kubectl(kubectl: Kubectl, *scope: str) -> Read:
    """scope: kubectl's options for the namespace; none for that of the context."""

    def read(api_version: str, kind: str) -> Sequence[Object] | None:
        group = api_version.rpartition("/")[0]
        name = f"{kind.lower()}.{group}" if group else kind.lower()
        try:
            return [mapping(one) for one in items(mapping(kubectl.get(name, *scope)).get("items"))]
        except ClusterError as error:
            if "doesn't have a resource type" in str(error):
                return []
            if "(Forbidden)" in str(error):
                return None
            raise

    return read


def by_client(client: Client) -> Read:
    """All namespaces of a cluster of the sandbox."""

    def read(api_version: str, kind: str) -> Sequence[Object] | None:
        try:
            return client.list(api_version, kind) if client.knows(api_version, kind) else []
        except ObjectRefused as refusal:
            if refusal.code == HTTPStatus.FORBIDDEN:
                return None
            raise

    return read


def logs_by_kubectl(kubectl: Kubectl) -> Iterator[tuple[str, str]]:
    """What the controllers of jobs logged in the last hour, for users who may read it."""
    for controller, (namespace, deployment) in _CONTROLLERS.items():
        try:
            yield controller, kubectl.log_of(f"deployment/{deployment}", namespace)
        except ClusterError:
            continue
