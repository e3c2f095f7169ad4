"""People who submit jobs and see what becomes of them, and have no other right in the cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import pulumi
from pulumi_kubernetes.meta import v1 as meta
from pulumi_kubernetes.rbac import v1 as rbac

from gpucluster.record import record

_API: Final = "rbac.authorization.k8s.io"
_NAME: Final = "job-submitter"
_SEE: Final = ("get", "list", "watch")
_CHANGE: Final = (*_SEE, "create", "update", "patch", "delete")
# API group -> its resources: what is submitted to a queue, and the way to it (docs/jobs.md). What Trainer makes of a
# TrainJob is not theirs to change, for rules judge the TrainJob; nor are Services, for a load balancer is one.
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


@record(kw_only=True)
class Submitter:
    """name: as the API server hears it from the cloud."""

    kind: Literal["Group", "User"] = "Group"
    name: str


class Submitters(pulumi.ComponentResource):
    """A role in a namespace of jobs, and who has it: in this namespace, and nothing in any other."""

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
        metadata = meta.ObjectMetaArgs(name=_NAME, namespace=namespace)
        role = rbac.Role(
            f"{name}-role",
            metadata=metadata,
            rules=[
                rbac.PolicyRuleArgs(api_groups=[group], resources=list(resources), verbs=list(verbs))
                for granted, verbs in ((_SUBMITTED, _CHANGE), (_SEEN, _SEE))
                for group, resources in granted.items()
            ],
            opts=here,
        )
        rbac.RoleBinding(
            f"{name}-binding",
            metadata=metadata,
            role_ref=rbac.RoleRefArgs(api_group=_API, kind="Role", name=_NAME),
            subjects=[rbac.SubjectArgs(api_group=_API, kind=one.kind, name=one.name) for one in people],
            opts=pulumi.ResourceOptions(parent=self, depends_on=[role]),
        )
        self.register_outputs({})
