"""One queue over several clusters, by Kueue's MultiKueue: the manager's objects, and a worker's.

The manager keeps a job of the queue suspended, and creates a copy in a worker, where Kueue admits it like any other job
of the training pool. Sources: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2/multikueue_types.go,
pkg/controller/admissionchecks/multikueue.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.objects.objects import (
    ADMISSION_CHECK,
    CLUSTER_QUEUE,
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    LOCAL_QUEUE,
    MULTI_KUEUE_CLUSTER,
    MULTI_KUEUE_CONFIG,
    RBAC,
    RESOURCE_FLAVOR,
    ROLE,
    ROLE_BINDING,
    SECRET,
    SERVICE_ACCOUNT,
    Declared,
    Kind,
    manifest_of,
)
from gpucluster.components.kubernetes.workspaces import TeamSpace
from gpucluster.components.planning.names import FLEET, NAMESPACE, TRAINING_POOL
from gpucluster.components.resources.run import refusing
from gpucluster.components.shared.fleet import FleetPlan, unreachable
from gpucluster.errors import InputError

_KUEUE: Final = "kueue.x-k8s.io"
_SYSTEM: Final = "kueue-system"
"""Kueue's namespace, in which alone it reads the manager's kubeconfigs."""

DISPATCHER: Final[Mapping[str, Any]] = {
    "dispatcherName": f"{_KUEUE}/multikueue-dispatcher-incremental",
    "incrementalDispatcherConfig": {"stepSize": 1},
}
"""Kueue's configuration of the manager: only this dispatcher tries workers in their order.

Source: kubernetes-sigs/kueue v0.19.2, pkg/controller/workloaddispatcher/incrementaldispatcher.go.
"""


class FleetManager(pulumi.ComponentResource):
    """The queue `fleet` in each namespace of jobs, and its workers."""

    def __init__(
        self,
        name: str,
        plan: FleetPlan,
        *,
        namespaces: Mapping[str, pulumi.Input[str]],
        address: pulumi.Output[str] | None,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """namespaces: of jobs, by name. address: of the cluster on the internet, None if unknown. after: Kueue.

        A preview fails if workers do not admit the address; an update only warns, because it may have created it.
        """
        super().__init__("gpucluster:kubernetes:FleetManager", name, {}, opts)

        def declare(suffix: str, manifest: dict[str, Any], needs: Sequence[pulumi.Resource]) -> Declared:
            options = pulumi.ResourceOptions(parent=self, depends_on=[*after, *needs])
            return Declared(f"{name}-{suffix}", manifest, options)

        clusters: list[Declared] = []
        for worker in plan.workers:
            # The name is Kueue's key of the connection: another Secret for each makes a change visible to it.
            secret = declare(
                f"{worker.name}-access",
                manifest_of(
                    SECRET,
                    {"stringData": {"kubeconfig": pulumi.Output.secret(worker.kubeconfig)}},
                    object_name=f"{FLEET}-{worker.name}",
                    namespace=_SYSTEM,
                ),
                [],
            )
            source = {"kubeConfig": {"location": f"{FLEET}-{worker.name}", "locationType": "Secret"}}
            cluster = manifest_of(MULTI_KUEUE_CLUSTER, {"clusterSource": source}, object_name=worker.name)
            clusters.append(declare(f"{worker.name}-cluster", cluster, [secret]))
        order = {"clusters": [worker.name for worker in plan.workers]}
        config = declare("config", manifest_of(MULTI_KUEUE_CONFIG, order, object_name=FLEET), clusters)
        check = {
            "controllerName": f"{_KUEUE}/multikueue",
            "parameters": {"apiGroup": _KUEUE, "kind": MULTI_KUEUE_CONFIG.name, "name": FLEET},
        }
        checked = declare("check", manifest_of(ADMISSION_CHECK, check, object_name=FLEET), [config])
        flavor = declare("flavor", manifest_of(RESOURCE_FLAVOR, {}, object_name=FLEET), [])
        shared = declare(
            "cluster-queue",
            manifest_of(CLUSTER_QUEUE, _queue(plan, [*namespaces]), object_name=FLEET),
            [checked, flavor],
        )
        for namespace, there in namespaces.items():
            queue = manifest_of(LOCAL_QUEUE, {"clusterQueue": FLEET}, object_name=FLEET, namespace=there)
            declare("queue" if namespace == NAMESPACE else f"{namespace}-queue", queue, [shared])
        if address is not None:
            pulumi.Output.from_input(address).apply(lambda found: _check_address(plan, found))
        self.register_outputs({"workers": order["clusters"]})


def _check_address(plan: FleetPlan, address: str) -> None:
    problems = [str(problem) for problem in unreachable(plan.workers, address)] if address else []
    if problems and pulumi.runtime.is_dry_run():
        with refusing():
            raise InputError("spec", problems)
    for problem in problems:
        pulumi.log.warn(problem)


def _queue(plan: FleetPlan, namespaces: Sequence[str]) -> dict[str, Any]:
    """What all workers have, so that each job that fits into one of them gets as far as its cluster."""
    resources = [{"name": resource, "nominalQuota": amount} for resource, amount in plan.quotas.items()]
    group = {"coveredResources": [*plan.quotas], "flavors": [{"name": FLEET, "resources": resources}]}
    selected = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": [*namespaces]}
    return {
        "namespaceSelector": {"matchExpressions": [selected]},
        "resourceGroups": [group],
        "preemption": {"withinClusterQueue": "LowerPriority"},
        "admissionChecksStrategy": {"admissionChecks": [{"name": FLEET}]},
    }


_SEE: Final = ("get", "list", "watch")

WATCHED: Final[Mapping[str, Sequence[str]]] = {
    "": ("pods",),
    "apps": ("statefulsets",),
    "batch": ("jobs",),
    "jobset.x-k8s.io": ("jobsets",),
    "leaderworkerset.x-k8s.io": ("leaderworkersets",),
    "trainer.kubeflow.org": ("trainjobs",),
    _KUEUE: ("workloads",),
}
"""API group -> kinds that the manager's Kueue watches in the whole worker, as it does for each kind in its
configuration: without one of them it does not connect. Source: kubernetes-sigs/kueue v0.19.2,
pkg/controller/admissionchecks/multikueue/multikueuecluster.go (updateConfigAndRefreshWatchers).
"""

_CREATED: Final[Mapping[str, Sequence[str]]] = {"batch": ("jobs",), "jobset.x-k8s.io": ("jobsets",)}


class FleetWorker(pulumi.ComponentResource):
    """The queue `fleet` in each namespace of jobs, for the training pool, and an account of the manager, which may
    create and delete Jobs and JobSets in these namespaces. `kubeconfig`: of the account, a secret.
    """

    kubeconfig: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        *,
        namespace: pulumi.Input[str],
        spaces: Sequence[TeamSpace],
        cluster: pulumi.Output[str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """namespace: `training`, after its creation. spaces: of teams. cluster: a kubeconfig with the address and the
        certificate of the API. after: the queues of jobs.
        """
        super().__init__("gpucluster:kubernetes:FleetWorker", name, {}, opts)

        def declare(
            suffix: str,
            kind: Kind,
            fields: Mapping[str, Any],
            needs: Sequence[pulumi.Resource] = (),
            space: pulumi.Input[str] | None = None,
            **metadata: Mapping[str, str],
        ) -> Declared:
            manifest = manifest_of(kind, fields, object_name=FLEET, namespace=space, **metadata)
            options = pulumi.ResourceOptions(
                parent=self, depends_on=[*after, *needs], additional_secret_outputs=["data"] if kind is SECRET else None
            )
            return Declared(f"{name}-{suffix}", manifest, options)

        account = declare("account", SERVICE_ACCOUNT, {}, space=_SYSTEM)
        whose = {"subjects": [{"kind": "ServiceAccount", "name": FLEET, "namespace": _SYSTEM}]}

        def grant(suffix: str, kinds: tuple[Kind, Kind], rules: list[Any], space: pulumi.Input[str] | None) -> None:
            role, binding = kinds
            made = declare(f"{suffix}role", role, {"rules": rules}, space=space)
            fields = {"roleRef": {"apiGroup": RBAC, "kind": role.name, "name": FLEET}, **whose}
            declare(f"{suffix}binding", binding, fields, [made, account], space)

        grant("", (CLUSTER_ROLE, CLUSTER_ROLE_BINDING), [_rule(*one, _SEE) for one in WATCHED.items()], None)
        queues = {"": (namespace, TRAINING_POOL), **{f"{it.team.name}.": _team_queue(it) for it in spaces}}
        creating = [_rule(*one, ("create", "delete")) for one in _CREATED.items()]
        recording = [
            _rule(_KUEUE, ("workloads",), ("create", "delete", "update", "patch")),
            _rule(_KUEUE, ("workloads/status",), ("get", "update", "patch")),
        ]
        for suffix, (space, queue) in queues.items():
            grant(f"{suffix}jobs-", (ROLE, ROLE_BINDING), [*creating, *recording], space)
            declare(f"{suffix}queue", LOCAL_QUEUE, {"clusterQueue": queue}, space=space)
        token = declare(
            "token",
            SECRET,
            # Only a field that is sent has an output.
            {"type": "kubernetes.io/service-account-token", "data": None},
            [account],
            _SYSTEM,
            annotations={"kubernetes.io/service-account.name": FLEET},
        )
        data: pulumi.Output[Mapping[str, str] | None] = pulumi.get(token, "data")
        self.kubeconfig = pulumi.Output.secret(
            pulumi.Output.all(cluster, data).apply(lambda found: manager_kubeconfig(*found))
        )
        self.register_outputs({"queue": FLEET})


def _team_queue(space: TeamSpace) -> tuple[pulumi.Input[str], str]:
    return space.namespace.object_name, f"{space.team.name}.{TRAINING_POOL}"


def _rule(group: str, resources: Sequence[str], verbs: Sequence[str]) -> dict[str, list[str]]:
    return {"apiGroups": [group], "resources": [*resources], "verbs": [*verbs]}


def manager_kubeconfig(cluster: str, data: Mapping[str, str] | None) -> str:
    """The kubeconfig of the manager's account, as JSON, with its token and the certificate: Kueue accepts no command
    and no file; empty without a token. cluster: a kubeconfig of the same API. data: of the account's Secret.
    """
    token = base64.b64decode((data or {}).get("token") or "").decode()
    if not token:
        return ""
    server = json.loads(cluster)["clusters"][0]["cluster"]
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": FLEET,
            "contexts": [{"name": FLEET, "context": {"cluster": FLEET, "user": FLEET}}],
            "clusters": [{"name": FLEET, "cluster": server}],
            "users": [{"name": FLEET, "user": {"token": token}}],
        }
    )
