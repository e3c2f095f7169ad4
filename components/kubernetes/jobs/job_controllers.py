"""The software that runs jobs: Kueue, which holds them until there is room, and JobSet and Trainer, which create their
pods, on request also LeaderWorkerSet. Kueue last, each in its own namespace.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.jobs.fleet import DISPATCHER
from gpucluster.components.kubernetes.objects.charts import CHART_SET, JOBSET, KUEUE, LWS, TRAINER, Chart
from gpucluster.components.kubernetes.objects.namespace import (
    CLUSTER_CRITICAL,
    critical_pods,
    namespace,
    only_these_ports,
)
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.planning.names import NAMESPACE
from gpucluster.components.shared.teams import TeamPlan
from gpucluster.core.catalog.kubernetes_versions import minor


@dataclass(frozen=True, kw_only=True)
class _Part:
    """suffix: of the logical names. ports: of its webhooks, metrics and, for Kueue, its visibility API.

    adopts: whether it takes over objects that another release, or none, left in the cluster.
    """

    suffix: str
    namespace: str
    chart: Chart
    release_name: str
    ports: Sequence[int]
    values: Mapping[str, Any]
    adopts: bool = False


class Queueing(pulumi.ComponentResource):
    """Queues and runtimes depend on `ready`.

    Kueue deletes its CRDs with itself, so all objects of its kinds must be deleted first.
    """

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        *,
        tolerations: Sequence[Mapping[str, str]],
        registry: str | None,
        after: Sequence[pulumi.Resource],
        teams: Sequence[TeamPlan] = (),
        chart_set: str | None = None,
        leader_worker_sets: bool = False,
        manages_fleet: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """tolerations: of the controllers. registry: mirror of the images. after: nodes for the controllers. teams:
        those with their own queues. chart_set: that the spec names, which allows an update that moves Trainer's CRDs.
        leader_worker_sets: whether their controller is installed. manages_fleet: whether jobs run in other clusters.
        """
        super().__init__("gpucluster:kubernetes:Queueing", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        kept = keeps_trainer_crds(f"{name}-trainer", chart_set)
        self.ready = []
        config = kueue_config(teams, leader_worker_sets=leader_worker_sets, manages_fleet=manages_fleet)
        for part in _parts([dict(item) for item in tolerations], config):
            if part.chart is LWS and not leader_worker_sets:
                continue
            space = Declared(f"{name}-{part.suffix}-namespace", namespace(part.namespace, "restricted"), here)
            only_these_ports(
                f"{name}-{part.suffix}-ports",
                part.ports,
                namespace=space.object_name,
                opts=here,
            )
            quota = (
                [
                    critical_pods(
                        f"{name}-{part.suffix}-critical",
                        CLUSTER_CRITICAL,
                        namespace=space.object_name,
                        opts=here,
                    )
                ]
                if part.chart is KUEUE
                else []
            )
            self.ready.append(
                release(
                    f"{name}-{part.suffix}",
                    part.chart,
                    release_name=part.release_name,
                    namespace=space.object_name,
                    values=part.values,
                    registry=registry,
                    adopts=part.adopts,
                    after=[*after, *quota, *self.ready],
                    opts=here
                    if part.chart is not TRAINER
                    else pulumi.ResourceOptions.merge(here, pulumi.ResourceOptions(hooks=kept)),
                )
            )
        self.register_outputs({"kueue": KUEUE.version, "jobSet": JOBSET.version, "trainer": TRAINER.version})


def _parts(tolerations: list[dict[str, str]], config: Mapping[str, Any]) -> list[_Part]:
    # Tags are set because the charts' sources name a moving one; their releases name these.
    return [
        _Part(
            suffix="jobset",
            namespace="jobset-system",
            chart=JOBSET,
            release_name="jobset",
            ports=(8443, 9443),
            values={
                "image": {"repository": "registry.k8s.io/jobset/jobset", "tag": f"v{JOBSET.version}"},
                "controller": {"tolerations": tolerations},
            },
        ),
        _Part(
            suffix="trainer",
            namespace="kubeflow-system",
            chart=TRAINER,
            release_name="kubeflow-trainer",
            ports=(8443, 9443),
            # The chart's CRDs are in its folder crds/, which belongs to no release; from 2.3 on they are objects of the
            # release. Source: charts/kubeflow-trainer of kubeflow/trainer v2.2.1 and v2.3.0.
            adopts=True,
            values={
                # JobSet is installed already.
                "jobset": {"install": False},
                "image": {
                    "registry": "ghcr.io",
                    "repository": "kubeflow/trainer/trainer-controller-manager",
                    "tag": f"v{TRAINER.version}",
                },
                "manager": {"tolerations": tolerations},
            },
        ),
        _Part(
            suffix="lws",
            namespace="lws-system",
            chart=LWS,
            release_name="lws",
            ports=(8443, 9443),
            values={
                "image": {"manager": {"repository": "registry.k8s.io/lws/lws", "tag": f"v{LWS.version}"}},
                # All that the standard `restricted` requires and the chart lacks.
                "podSecurityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
                "tolerations": tolerations,
            },
        ),
        # Kueue is last: at its start it looks for the kinds that it admits, then at growing intervals of up to 2
        # minutes, and until it has found them it refuses every TrainJob ("unsupported runtime").
        # Source: kubernetes-sigs/kueue v0.19.2, pkg/controller/jobframework/setup.go.
        _Part(
            suffix="kueue",
            namespace="kueue-system",
            chart=KUEUE,
            release_name="kueue",
            ports=(8082, 8443, 9443),
            values={
                "controllerManager": {
                    "tolerations": tolerations,
                    "manager": {
                        "image": {"repository": "registry.k8s.io/kueue/kueue", "tag": f"v{KUEUE.version}"},
                        # No job starts without it, so no system pod may preempt it.
                        "priorityClassName": CLUSTER_CRITICAL,
                    },
                },
                "managerConfig": {"controllerManagerConfigYaml": json.dumps(config, indent=2)},
            },
        ),
    ]


# From this version on, the CRDs are objects of the release, so a release of an older chart deletes them.
# Source: charts/kubeflow-trainer of kubeflow/trainer v2.2.1 and v2.3.0.
_OWNS_CRDS: Final = (2, 3)


def keeps_trainer_crds(name: str, chart_set: str | None) -> pulumi.ResourceHookBinding:
    """A hook for Trainer's release, which runs in a preview as well. chart_set: of the spec, None if it has none; a
    spec with the set of this release of gpucluster states that the CRDs are prepared.
    """

    def check(args: pulumi.ResourceHookArgs) -> None:
        old, new = (str((inputs or {}).get("version", "")) for inputs in (args.old_inputs, args.new_inputs))
        if chart_set != CHART_SET and _owns_crds(old) and not _owns_crds(new):
            raise RuntimeError(
                f"{args.name}: Trainer {old} -> {new} deletes all TrainJobs and runtimes with their CRDs, unless you "
                'keep them first (docs/operate/upgrading-jobs.md, "From Trainer 2.3"); after that, write '
                f"versions.charts: {CHART_SET!r} into the spec"
            )

    hook = pulumi.ResourceHook(f"{name}-keeps-crds", check, pulumi.ResourceHookOptions(on_dry_run=True))
    return pulumi.ResourceHookBinding(before_update=[hook])


def _owns_crds(version: str) -> bool:
    """Whether a release of this chart deletes the CRDs with itself; of what is no version it may."""
    try:
        return minor(version) >= _OWNS_CRDS
    except ValueError:
        return True


RETENTION_HOURS: Final = 7 * 24
"""For this long the objects of an ended job can be inspected."""

KUEUE_CONFIG: Final[Mapping[str, Any]] = {
    # As in the chart, whose configuration this replaces completely.
    # Source: kubernetes-sigs/kueue v0.19.2, charts/kueue/values.yaml.
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "health": {"healthProbeBindAddress": ":8081"},
    # The dashboard of the queue reads quotas and their use.
    "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
    "webhook": {"port": 9443},
    "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
    "controller": {
        "groupKindConcurrency": {
            "Job.batch": 5,
            "Pod": 5,
            "Workload.kueue.x-k8s.io": 10,
            "LocalQueue.kueue.x-k8s.io": 5,
            "ClusterQueue.kueue.x-k8s.io": 5,
            "ResourceFlavor.kueue.x-k8s.io": 1,
        }
    },
    "clientConnection": {"qps": 300, "burst": 500},
    # A job whose pods do not run within half an hour, including image pull and machine start of an elastic pool, gives
    # its GPUs back and joins the end of the queue of its priority; the fourth time it is stopped for good. The half
    # hour is Kueue's default. Source: the same release, apis/config/v1beta2/defaults.go.
    "waitForPodsReady": {"timeout": "30m", "requeuingStrategy": {"timestamp": "Eviction", "backoffLimitCount": 3}},
    # Annotated pods count as ended if their node is unreachable: annotation FORCED of the runtimes. Alpha.
    "featureGates": {"FailureRecoveryPolicy": True},
    "objectRetentionPolicies": {
        "workloads": {"afterFinished": f"{RETENTION_HOURS}h", "afterDeactivatedByKueue": f"{RETENTION_HOURS}h"}
    },
    # Its webhooks check only objects of these namespaces, where nothing with a GPU may start without it anyway.
    # The chart's webhooks would check every pod, Deployment and StatefulSet of the cluster, none of which could start
    # while Kueue is down. Source: the same, templates/webhook/manifests.yaml.
    "managedJobsNamespaceSelector": {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": [NAMESPACE]}]
    },
    # Of these kinds it manages only objects with a queue in their labels. Ray's kinds belong to KubeRay, for which
    # Kueue waits until it is installed.
    "integrations": {
        "frameworks": [
            "batch/job",
            "deployment",
            "jobset.x-k8s.io/jobset",
            "pod",
            "ray.io/raycluster",
            "ray.io/rayjob",
            "ray.io/rayservice",
            "statefulset",
            "trainer.kubeflow.org/trainjob",
        ]
    },
}
"""Kueue's configuration, of the kinds in apis/config/v1beta2 of the same release."""


_LWS_FRAMEWORK: Final = "leaderworkerset.x-k8s.io/leaderworkerset"


def kueue_config(
    teams: Sequence[TeamPlan], *, leader_worker_sets: bool = False, manages_fleet: bool = False
) -> Mapping[str, Any]:
    """The same with LeaderWorkerSets; with teams: Kueue also manages their namespaces, and lends idle quota; and for
    the manager of a fleet: without Ray's kinds, since Kueue must find all of its kinds in each worker.
    """
    config = dict(KUEUE_CONFIG)
    frameworks = [*KUEUE_CONFIG["integrations"]["frameworks"], *([_LWS_FRAMEWORK] if leader_worker_sets else [])]
    if manages_fleet:
        frameworks = [name for name in frameworks if not name.startswith("ray.io/")]
        config["multiKueue"] = DISPATCHER
    config["integrations"] = {"frameworks": sorted(frameworks)}
    if not teams:
        return config
    namespaces = [NAMESPACE, *(team.namespace for team in teams)]
    return {
        **config,
        "managedJobsNamespaceSelector": {
            "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces}]
        },
        # The second applies if the first makes no room. Source: the same, site/content/en/docs/concepts/preemption.md.
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
    }
