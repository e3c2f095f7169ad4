"""Who submits jobs, and what they may do: roles, and a policy for what roles can't express.

Everything that the pages and examples of jobs show is possible with these rights; docs/reference/submitter-rights.md is
written from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import pulumi

from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.objects import (
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    RBAC,
    ROLE,
    ROLE_BINDING,
    Declared,
    Kind,
    manifest_of,
)

_POLICY: Final = Path(__file__).with_name("jobs") / "manifests/submitters.yaml"
_NAME: Final = "job-submitter"
_SEE: Final = ("get", "list", "watch")
_CHANGE: Final = (*_SEE, "create", "update", "patch", "delete")


@dataclass(frozen=True, kw_only=True)
class Submitter:
    """name: as the cloud reports it to the API server."""

    kind: Literal["Group", "User"] = "Group"
    name: str


@dataclass(frozen=True, kw_only=True)
class Right:
    """A rule of a role. group: API group, empty for the core's. name: of the only object; empty for every one. why: the
    reason, or the limit that a policy sets.
    """

    group: str = ""
    resources: Sequence[str]
    verbs: Sequence[str]
    name: str = ""
    why: str

    @property
    def rule(self) -> dict[str, list[str]]:
        """As a role has it."""
        only = {"resourceNames": [self.name]} if self.name else {}
        return {"apiGroups": [self.group], "resources": [*self.resources], "verbs": [*self.verbs], **only}


IN_NAMESPACE: Final[Sequence[Right]] = (
    Right(group="trainer.kubeflow.org", resources=("trainjobs",), verbs=_CHANGE, why="policy `training-jobs`"),
    Right(
        group="trainer.kubeflow.org",
        resources=("trainingruntimes",),
        verbs=_SEE,
        why="Kubeflow's SDK looks for runtimes in the namespace first",
    ),
    Right(
        group="batch",
        resources=("jobs", "cronjobs"),
        verbs=_CHANGE,
        why="policy `gpu-pods`; those that a controller made can be deleted, not changed",
    ),
    Right(
        group="jobset.x-k8s.io",
        resources=("jobsets",),
        verbs=_CHANGE,
        why="the same: rules judge the TrainJob, not the JobSet that Trainer makes of it",
    ),
    Right(
        group="apps",
        resources=("deployments", "deployments/scale", "statefulsets", "statefulsets/scale"),
        verbs=_CHANGE,
        why="policy `gpu-pods`",
    ),
    Right(
        group="leaderworkerset.x-k8s.io",
        resources=("leaderworkersets", "leaderworkersets/scale"),
        verbs=_CHANGE,
        why="policy `gpu-pods`",
    ),
    Right(group="ray.io", resources=("rayclusters", "rayjobs", "rayservices"), verbs=_CHANGE, why="policy `gpu-pods`"),
    Right(
        resources=("pods",),
        verbs=(*_SEE, "create", "delete"),
        why="policy `gpu-pods`; no changes, because labels and gates of a pod are Kueue's",
    ),
    Right(resources=("pods/log",), verbs=("get",), why="of every pod in the namespace"),
    Right(resources=("pods/portforward",), verbs=("get", "create"), why="notebooks and dashboards of jobs"),
    Right(resources=("services",), verbs=_CHANGE, why="only `ClusterIP`: others open the cluster, and may cost money"),
    Right(resources=("configmaps",), verbs=_CHANGE, why="not the cluster's own, such as those of identities"),
    Right(
        resources=("persistentvolumeclaims",),
        verbs=_CHANGE,
        why="only of the classes of block storage; not the cluster's own, such as `shared`",
    ),
    Right(
        resources=("secrets",),
        verbs=("create", "delete"),
        why="never read, and never changed, because the answer to a change shows the content: delete and create; no "
        "tokens of service accounts",
    ),
    Right(resources=("events",), verbs=_SEE, why="`kubectl describe` shows them"),
    Right(group="kueue.x-k8s.io", resources=("localqueues",), verbs=_SEE, why="the queues of the namespace"),
    Right(
        group="kueue.x-k8s.io",
        resources=("workloads",),
        verbs=(*_SEE, "patch"),
        why="only `spec.active`, which stops and resumes a job",
    ),
)

EXEC: Final = Right(resources=("pods/exec",), verbs=("get", "create"), why="only with `access.exec: true` in the spec")
"""`kubectl exec`, and `kubectl cp`, which uses it."""

IN_CLUSTER: Final[Sequence[Right]] = (
    Right(
        group="trainer.kubeflow.org",
        resources=("clustertrainingruntimes",),
        verbs=_SEE,
        why="Kubeflow's SDK and users of JobSets read the runtimes",
    ),
    Right(
        group="kueue.x-k8s.io",
        resources=("clusterqueues", "resourceflavors", "workloadpriorityclasses"),
        verbs=_SEE,
        why="quotas and their use, the machines of the queues, and the priorities of jobs; no jobs of others",
    ),
)
"""In the whole cluster, read-only."""


def bound_role(
    name: str,
    rights: Sequence[Right],
    people: Sequence[Submitter],
    namespace: pulumi.Input[str] | None,
    opts: pulumi.ResourceOptions,
    *,
    kinds: tuple[Kind, Kind] = (ROLE, ROLE_BINDING),
) -> None:
    """A role and its binding. namespace: None for the whole cluster. kinds: of both."""
    role, binding = kinds
    rules: dict[str, Any] = {"rules": [right.rule for right in rights]}
    declared = Declared(f"{name}-role", manifest_of(role, rules, object_name=_NAME, namespace=namespace), opts)
    members = {
        "roleRef": {"apiGroup": RBAC, "kind": role.name, "name": _NAME},
        "subjects": [{"apiGroup": RBAC, "kind": one.kind, "name": one.name} for one in people],
    }
    Declared(
        f"{name}-binding",
        manifest_of(binding, members, object_name=_NAME, namespace=namespace),
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[declared])),
    )


class Submitters(pulumi.ComponentResource):
    """A role in a namespace of jobs and its members, with permissions to change things only in this namespace."""

    def __init__(
        self,
        name: str,
        people: Sequence[Submitter],
        *,
        namespace: pulumi.Input[str],
        may_exec: bool,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """may_exec: whether they may start programs in running pods."""
        super().__init__("gpucluster:kubernetes:Submitters", name, {}, opts)
        rights = [*IN_NAMESPACE, *([EXEC] if may_exec else [])]
        bound_role(name, rights, people, namespace, pulumi.ResourceOptions(parent=self))
        self.register_outputs({})


class SubmitterLimits(pulumi.ComponentResource):
    """What all submitters of a cluster may read in it, and the policy that limits what they change. Without the policy,
    their roles would grant too much: those depend on this.
    """

    def __init__(
        self,
        name: str,
        people: Sequence[Submitter],
        *,
        namespaces: Sequence[str],
        block_classes: Sequence[str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """namespaces: of jobs. block_classes: storage classes of block volumes, the default one first."""
        super().__init__("gpucluster:kubernetes:SubmitterLimits", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        values = {"namespaces": [*namespaces], "block_classes": [*block_classes]}
        policy, binding = manifests(_POLICY, values)
        first = Declared(f"{name}-policy", policy, here)
        Declared(f"{name}-policy-binding", binding, pulumi.ResourceOptions(parent=self, depends_on=[first]))
        bound_role(name, IN_CLUSTER, people, None, here, kinds=(CLUSTER_ROLE, CLUSTER_ROLE_BINDING))
        self.register_outputs({})
