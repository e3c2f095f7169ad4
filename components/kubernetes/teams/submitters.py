"""Identities that may submit and watch jobs, and have no other permissions in the cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import pulumi

from gpucluster.components.kubernetes.objects.kinds import RBAC, ROLE, ROLE_BINDING
from gpucluster.components.kubernetes.objects.objects import Declared, manifest_of

_NAME: Final = "job-submitter"
_SEE: Final = ("get", "list", "watch")
_CHANGE: Final = (*_SEE, "create", "update", "patch", "delete")
# API group -> its resources: objects submitted to a queue, and access to them (docs/jobs.md). Objects that Trainer
# creates for a TrainJob are read-only, because rules judge the TrainJob; so are Services, because they include load
# balancers.
_SUBMITTED: Final[Mapping[str, Sequence[str]]] = {
    "trainer.kubeflow.org": ("trainjobs",),
    "batch": ("jobs",),
    "apps": ("deployments", "deployments/scale", "statefulsets", "statefulsets/scale"),
    "ray.io": ("rayclusters", "rayjobs", "rayservices"),
    "": ("pods/portforward",),
}
_SEEN: Final[Mapping[str, Sequence[str]]] = {
    "": ("events", "persistentvolumeclaims", "pods", "pods/log", "services"),
    "jobset.x-k8s.io": ("jobsets",),
    "kueue.x-k8s.io": ("localqueues", "workloads"),
}


@dataclass(frozen=True, kw_only=True)
class Submitter:
    """name: as the cloud reports it to the API server."""

    kind: Literal["Group", "User"] = "Group"
    name: str


class Submitters(pulumi.ComponentResource):
    """A role in a namespace of jobs and its members, with permissions only in this namespace."""

    def __init__(
        self,
        name: str,
        people: Sequence[Submitter],
        *,
        namespace: pulumi.Input[str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:kubernetes:Submitters", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        rules = [
            {"apiGroups": [group], "resources": [*resources], "verbs": [*verbs]}
            for granted, verbs in ((_SUBMITTED, _CHANGE), (_SEEN, _SEE))
            for group, resources in granted.items()
        ]
        role = Declared(
            f"{name}-role", manifest_of(ROLE, {"rules": rules}, object_name=_NAME, namespace=namespace), here
        )
        Declared(
            f"{name}-binding",
            manifest_of(
                ROLE_BINDING,
                {
                    "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": _NAME},
                    "subjects": [{"apiGroup": RBAC, "kind": one.kind, "name": one.name} for one in people],
                },
                object_name=_NAME,
                namespace=namespace,
            ),
            pulumi.ResourceOptions(parent=self, depends_on=[role]),
        )
        self.register_outputs({})
