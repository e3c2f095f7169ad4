"""Common parts of the clusters of all clouds: access to Kubernetes, and everything equal inside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

import pulumi
import pulumi_kubernetes as kubernetes

from gpucluster.components.cluster.cloud import ClusterPlan
from gpucluster.components.cluster.outputs import Cluster, ControlPlane, Logs, Registry, SharedStorage
from gpucluster.components.cluster.versions import VersionPlan
from gpucluster.components.kubernetes.job_identities import JobIdentities, JobIdentity
from gpucluster.components.kubernetes.jobs.fleet import FleetManager, FleetWorker
from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.jobs.jobs import Jobs
from gpucluster.components.kubernetes.node_health.objects import NodeHealth
from gpucluster.components.kubernetes.node_health.plan import settings_json
from gpucluster.components.kubernetes.objects.charts import CHART_SET
from gpucluster.components.kubernetes.objects.checks import check_object
from gpucluster.components.kubernetes.objects.namespace import PodSecurity
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.kubernetes.slurm.objects import SLURM_SHELL
from gpucluster.components.kubernetes.slurm.slurm import Slurm
from gpucluster.components.kubernetes.submitters import Submitter
from gpucluster.components.kubernetes.telemetry.cluster_telemetry import ClusterTelemetry
from gpucluster.components.kubernetes.telemetry.collector import MetricsSink
from gpucluster.components.kubernetes.workspaces import TeamSpace, Workspace, people_spaces
from gpucluster.components.planning.names import NAMESPACE, TRAINING_POOL
from gpucluster.components.resources.failures import Failures
from gpucluster.components.resources.label_transformation import labelled
from gpucluster.components.shared.buckets import IdentityPlan
from gpucluster.components.shared.fleet import FACTS, KUBECONFIG, FleetPlan, Worker, member_quotas
from gpucluster.components.spec.operations import BrokenNodes


class Sized(Protocol):
    @property
    def usable_gib(self) -> int: ...


class SharedPlan(ClusterPlan, Protocol):
    """The parts of all clouds' plans that are read here."""

    @property
    def cluster_name(self) -> str: ...
    @property
    def stack(self) -> str: ...
    @property
    def labels(self) -> Mapping[str, str]: ...
    @property
    def identities(self) -> Sequence[IdentityPlan]: ...
    @property
    def leader_worker_sets(self) -> bool: ...
    @property
    def slurm_pools(self) -> Sequence[str]: ...
    @property
    def slurm_accounting(self) -> bool: ...
    @property
    def fleet(self) -> FleetPlan | None: ...
    @property
    def broken_nodes(self) -> BrokenNodes: ...
    @property
    def grace_seconds(self) -> int: ...
    @property
    def storage(self) -> Sized: ...
    @property
    def versions(self) -> VersionPlan: ...


Plan = TypeVar("Plan", bound=SharedPlan)


class Bucket(Protocol):
    address: pulumi.Output[str]


@dataclass(frozen=True, kw_only=True)
class Inside:
    """Differences between the clouds' clusters. pools: of GPU nodes. after: nodes for our software. tolerations: of its
    controllers. registry: mirror of its images, None if they are pulled from their publishers. conditions: of nodes, by
    which a broken one is recognized. labels: by pool, as in the settings of `NodeHealth`. maintenance: label of nodes
    with the time of planned maintenance, if the cloud sets one. closed: addresses that no job may reach. block_classes:
    storage classes of block volumes that each cluster has, the default one first. address: of the nodes on the
    internet, None if it is not known.
    """

    pools: Sequence[JobPool]
    after: Sequence[pulumi.Resource]
    tolerations: Sequence[Mapping[str, str]] = ()
    registry: str | None
    conditions: Sequence[Mapping[str, Any]]
    block_classes: Sequence[str]
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    maintenance: str = ""
    closed: Sequence[str] = ()
    address: pulumi.Output[str] | None = None


class SharedCluster(Cluster, Generic[Plan]):
    """The part of a training cluster that is the same on every cloud.

    Its facts (labels, budget, exemptions, GPU counts, equivalence) are both inputs and outputs: plan files show only a
    component's inputs, and policies see only its outputs.
    """

    def __init__(self, cloud: str, name: str, plan: Plan, opts: pulumi.ResourceOptions | None) -> None:
        checked = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(transformations=[check_object]))
        kind = f"gpucluster:{cloud}:TrainingCluster"
        labelling = labelled(plan.labels, checked, stack=plan.stack)
        self.failures = Failures()
        super().__init__(kind, name, plan.facts.registered(), self.failures.of(labelling))
        self._name, self._plan = name, plan
        self._here = pulumi.ResourceOptions(parent=self)

    def _open(
        self,
        control_plane: ControlPlane,
        inside: Inside,
        *,
        kubeconfig: pulumi.Input[str] | None = None,
        opened: Sequence[pulumi.Input[pulumi.Resource]] = (),
        pod_security: PodSecurity = "baseline",
    ) -> None:
        """Access to the cluster, and the namespace of jobs. kubeconfig: of the identity that runs `up`, by default the
        users'. opened: further prerequisites of the access.
        """
        self._reached, self._found = control_plane, inside
        provider = kubernetes.Provider(
            f"{self._name}-kubernetes",
            kubeconfig=control_plane.kubeconfig if kubeconfig is None else kubeconfig,
            # Without delete_unreachable: if the API is unreachable for a while, it would forget node pools and leave
            # their machines running.
            enable_server_side_apply=True,
            enable_config_map_mutable=True,  # a replaced one is briefly missing for starting pods
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(opened)),
        )
        self._inside = pulumi.ResourceOptions(parent=self, providers=[provider])
        self._workspace = Workspace(f"{self._name}-workspace", pod_security=pod_security, opts=self._inside)

    def _mount(self, shared: Volume, home: Volume | None) -> None:
        """The volumes that all pods of jobs mount."""
        self._workspace.mount(shared, home)
        self._has_home = home is not None

    def _admit(
        self,
        members: Callable[[str, Sequence[str]], Sequence[Submitter]],
        identities: Callable[[], Sequence[JobIdentity]],
    ) -> list[TeamSpace]:
        """Submitters of jobs, namespaces of teams, and buckets that jobs may reach. members: as in `people_spaces`."""
        named = self._plan.people.submitters
        self._submitters = members(NAMESPACE, named) if named else ()
        self._spaces = people_spaces(
            self._name,
            self._plan.people,
            members,
            workspace=self._workspace,
            block_classes=self._found.block_classes,
            closed=self._found.closed,
            opts=self._inside,
        )
        if self._plan.identities:
            JobIdentities(
                f"{self._name}-identities",
                identities(),
                workspace=self._workspace,
                spaces=self._spaces,
                opts=self._inside,
            )
        return self._spaces

    def _watch(self, sink: Callable[[], MetricsSink]) -> list[pulumi.Resource]:
        """Shows the cluster's state and keeps jobs off broken nodes; returns the resources whose metrics can be read.
        sink: where a collector sends its metrics.
        """
        plan, found = self._plan, self._found
        telemetry = ClusterTelemetry(
            f"{self._name}-telemetry",
            plan.telemetry,
            cluster_name=plan.cluster_name,
            sink=sink() if plan.telemetry.collector else None,
            tolerations=found.tolerations,
            registry=found.registry,
            after=found.after,
            opts=self._inside,
        )
        if plan.broken_nodes == "leave":
            return telemetry.ready
        health = NodeHealth(
            f"{self._name}-node-health",
            settings_json(plan.broken_nodes, found.pools, found.conditions, found.labels, found.maintenance),
            tolerations=found.tolerations,
            registry=found.registry,
            after=found.after,
            opts=self._inside,
        )
        return [*telemetry.ready, *health.ready]

    def _queue(self) -> list[pulumi.Resource]:
        """Everything that queues and runs jobs; returns the software, whose metrics can be read."""
        pools = [
            replace(pool, grace_seconds=self._plan.grace_seconds, region=self._plan.location.region)
            for pool in self._found.pools
        ]
        jobs = Jobs(
            f"{self._name}-jobs",
            pools,
            workspace=self._workspace,
            home=self._has_home,
            tolerations=self._found.tolerations,
            registry=self._found.registry,
            after=self._found.after,
            closed=self._found.closed,
            spaces=self._spaces,
            chart_set=self._plan.versions.chart_set,
            leader_worker_sets=self._plan.leader_worker_sets,
            fleet=self._plan.fleet,
            slurm_pools=self._plan.slurm_pools,
            opts=self._inside,
        )
        if self._plan.slurm_pools:
            self.slurm_login = SLURM_SHELL
            Slurm(
                f"{self._name}-slurm",
                [pool for pool in pools if pool.name in self._plan.slurm_pools],
                cluster_name=self._plan.cluster_name,
                workspace=self._workspace,
                block_class=self._found.block_classes[0],
                tolerations=self._found.tolerations,
                registry=self._found.registry,
                after=self._found.after,
                closed=self._found.closed,
                submitters=self._submitters,
                accounting=self._plan.slurm_accounting,
                opts=self._inside,
            )
        if self._plan.fleet is not None:
            self._join(self._plan.fleet, jobs, pools)
        return jobs.ready

    def _join(self, fleet: FleetPlan, jobs: Jobs, pools: Sequence[JobPool]) -> None:
        """One side of a fleet."""
        name, namespace = f"{self._name}-fleet", self._workspace.namespace.object_name
        if fleet.manager is None:
            teams = {space.team.namespace: space.namespace.object_name for space in self._spaces}
            FleetManager(
                name,
                fleet,
                namespaces={NAMESPACE: namespace, **teams},
                address=self._found.address,
                after=[jobs],
                opts=self._inside,
            )
            return
        worker = FleetWorker(
            name,
            namespace=namespace,
            spaces=self._spaces,
            cluster=self._reached.kubeconfig,
            after=[jobs],
            opts=self._inside,
        )
        facts = self._worker(fleet, fleet.manager, pools).facts
        self.fleet = {FACTS: facts, KUBECONFIG: worker.kubeconfig}

    def _worker(self, fleet: FleetPlan, manager: str, pools: Sequence[JobPool]) -> Worker:
        training = next(pool for pool in pools if pool.name == TRAINING_POOL)
        return Worker(
            stack=self._plan.stack,
            manager=manager,
            namespaces=self._plan.people.namespaces,
            nodes=training.nodes,
            gpus=training.shape.gpus,
            quotas=member_quotas(training.quotas),
            cidrs=fleet.cidrs,
            charts=CHART_SET,
            leader_worker_sets=self._plan.leader_worker_sets,
        )

    def _end(
        self,
        *,
        account: pulumi.Input[str],
        metrics: pulumi.Input[str],
        logs: Logs | None,
        storage: pulumi.Input[str],
        registry: Registry | None,
        bucket: Bucket | None,
    ) -> None:
        """Ends the declaration. storage: its id for the CSI driver."""
        plan = self._plan
        self._give(
            self._reached,
            account=account,
            metrics=metrics,
            logs=logs,
            pools=self._found.pools,
            storage=SharedStorage(id=pulumi.Output.from_input(storage), usable_gib=plan.storage.usable_gib),
            registry=registry,
            bucket=None if bucket is None else bucket.address,
            identities=plan.identities,
            facts=plan.facts,
        )
