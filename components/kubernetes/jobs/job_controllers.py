"""The software that runs jobs: Kueue, which holds them until there is room, and JobSet and Trainer, which create their
pods. In this order, each in its own namespace.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from gpucluster.components.kubernetes.jobs.critical_pods import CLUSTER_CRITICAL, critical_pods
from gpucluster.components.kubernetes.jobs.kueue.config import kueue_config
from gpucluster.components.kubernetes.jobs.trainer_crds import keeps_trainer_crds
from gpucluster.components.kubernetes.objects.charts import JOBSET, KUEUE, TRAINER, Chart
from gpucluster.components.kubernetes.objects.namespace import namespace
from gpucluster.components.kubernetes.objects.network_policy import only_these_ports
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.shared.jobs.teams import TeamPlan


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
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """tolerations: of the controllers. registry: mirror of the images. after: nodes for the controllers. teams:
        those with their own queues. chart_set: that the spec names, which allows an update that moves Trainer's CRDs.
        """
        super().__init__("gpucluster:kubernetes:Queueing", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        kept = keeps_trainer_crds(f"{name}-trainer", chart_set)
        self.ready = []
        for part in _parts([dict(item) for item in tolerations], kueue_config(teams)):
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
