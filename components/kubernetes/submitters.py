"""People who submit jobs and see what becomes of them, and have no other right in the cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.rbac.v1 import PolicyRuleArgs, Role, RoleBinding, RoleRefArgs, SubjectArgs

__all__ = ["Submitters"]

_API: Final = "rbac.authorization.k8s.io"
_NAME: Final = "job-submitter"
_SEE: Final = ("get", "list", "watch")
# API group -> its resources.
_SEEN: Final[Mapping[str, Sequence[str]]] = {
    "": ("events", "persistentvolumeclaims", "pods", "pods/log"),
    "jobset.x-k8s.io": ("jobsets",),
    "kueue.x-k8s.io": ("localqueues", "workloads"),
}


class Submitters(pulumi.ComponentResource):
    """A role in the namespace of jobs, and who has it."""

    def __init__(
        self,
        name: str,
        groups: Sequence[str],
        *,
        namespace: pulumi.Input[str],
        labels: Mapping[str, str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """groups: as the cluster's directory calls them."""
        super().__init__("gpucluster:kubernetes:Submitters", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        metadata = ObjectMetaArgs(name=_NAME, namespace=namespace, labels=dict(labels))
        role = Role(
            f"{name}-role",
            metadata=metadata,
            rules=[
                PolicyRuleArgs(
                    api_groups=["trainer.kubeflow.org"],
                    resources=["trainjobs"],
                    verbs=[*_SEE, "create", "update", "patch", "delete"],
                ),
                *(
                    PolicyRuleArgs(api_groups=[group], resources=list(seen), verbs=list(_SEE))
                    for group, seen in _SEEN.items()
                ),
            ],
            opts=here,
        )
        RoleBinding(
            f"{name}-binding",
            metadata=metadata,
            role_ref=RoleRefArgs(api_group=_API, kind="Role", name=_NAME),
            subjects=[SubjectArgs(api_group=_API, kind="Group", name=group) for group in groups],
            opts=pulumi.ResourceOptions(parent=self, depends_on=[role]),
        )
        self.register_outputs({})
