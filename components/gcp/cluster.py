"""The training cluster on Google Cloud: puts the parts together."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
import pulumi_kubernetes as kubernetes

from gpucluster.components.buckets import BucketPlan
from gpucluster.components.gcp.admins import Admins
from gpucluster.components.gcp.control_plane import ControlPlane
from gpucluster.components.gcp.dns import kube_dns_by_nodes
from gpucluster.components.gcp.elastic import ElasticPlan
from gpucluster.components.gcp.fabric import POD_SECURITY, fabric_of
from gpucluster.components.gcp.fabric_plugin import FabricPlugin
from gpucluster.components.gcp.gpu_networks import GpuNetworks
from gpucluster.components.gcp.home import Home
from gpucluster.components.gcp.identity import NodeIdentity, labeller
from gpucluster.components.gcp.job_pools import QUEUED_TOLERATION, job_pools
from gpucluster.components.gcp.karpenter_pools import KarpenterPools, KarpenterPoolsArgs
from gpucluster.components.gcp.logs import LogBucket, default_logs
from gpucluster.components.gcp.mig_pool import MigPool
from gpucluster.components.gcp.monitoring import Monitoring, query_endpoint
from gpucluster.components.gcp.native_pools import NativePools
from gpucluster.components.gcp.network import Network
from gpucluster.components.gcp.node_health import CONDITIONS
from gpucluster.components.gcp.own_bucket import OwnBucket, bucket_identities
from gpucluster.components.gcp.plan import DAYS_OF_DEFAULT, GcpClusterPlan
from gpucluster.components.gcp.propagation import known_everywhere
from gpucluster.components.gcp.registry import registry
from gpucluster.components.gcp.services import enabled_services
from gpucluster.components.gcp.storage import BucketStorage, LustreStorage, mounted_storage
from gpucluster.components.gcp.submitters import submitter_access, submitter_of
from gpucluster.components.gcp.system_pool import SystemPool
from gpucluster.components.gcp.training_pool import TrainingPool
from gpucluster.components.kubernetes.checks import check_object
from gpucluster.components.kubernetes.cluster_telemetry import ClusterTelemetry
from gpucluster.components.kubernetes.job_identities import JobIdentities
from gpucluster.components.kubernetes.jobs import Jobs
from gpucluster.components.kubernetes.metrics_sink import READ
from gpucluster.components.kubernetes.node_health.objects import NodeHealth
from gpucluster.components.kubernetes.node_health.plan import settings_json
from gpucluster.components.kubernetes.team_space import TeamSpace, people_spaces
from gpucluster.components.kubernetes.volume import Volume
from gpucluster.components.kubernetes.workspace import Workspace
from gpucluster.components.labels import kubernetes_labels
from gpucluster.components.mounted import MountedPlan
from gpucluster.components.outputs import Cluster, Logs, SharedStorage


class TrainingCluster(Cluster):
    """A GKE cluster with one co-located training pool.

    Its facts (labels, budget, exemptions, GPU counts, equivalence) are inputs as well as outputs: plan files show a
    component's inputs only, and policies see its outputs only.
    """

    def __init__(self, name: str, plan: GcpClusterPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        checked = pulumi.ResourceOptions(transformations=[check_object])
        super().__init__(
            "gpucluster:gcp:TrainingCluster", name, plan.facts.registered(), pulumi.ResourceOptions.merge(opts, checked)
        )
        self._plan, self._name = plan, name
        here = pulumi.ResourceOptions(parent=self)
        location = plan.location
        self._resource_labels = labeller(plan.labels, stack=plan.stack)
        self._labels = kubernetes_labels(plan.labels, project=pulumi.get_project(), stack=plan.stack)

        self._services = services = enabled_services(f"{name}-api", _services(plan), here)
        # Elsewhere the network, which waits for the grants and takes its time, stands between them and the cluster.
        known = None if plan.network.existing is None else known_everywhere()
        self._nodes = NodeIdentity(
            f"{name}-identity",
            project=location.project,
            account_id=f"{name}-node-{plan.account_suffix}",
            after=services,
            known=known,
            opts=here,
        )
        self._control_plane = control_plane = ControlPlane(
            f"{name}-control-plane",
            location=location,
            existing_key=plan.secrets_key,
            after=services,
            labels=self._resource_labels,
            known=known,
            opts=here,
        )
        network = Network(
            f"{name}-network",
            plan.network,
            location,
            after=[*services, *self._nodes.grants, control_plane.key_use],
            labels=self._resource_labels,
            opts=here,
        )
        control_plane.start(
            cluster_name=plan.cluster_name,
            version=plan.kubernetes_version,
            extended=plan.versions.extended,
            access=plan.access,
            security_group=plan.security_group,
            network=network,
            nodes=self._nodes,
            lustre=not isinstance(plan.storage, BucketPlan),
            bucket=isinstance(plan.storage, BucketPlan),
            filestore=plan.home is not None,
            limits=plan.limits,
            million_samples=plan.telemetry.million_samples,
            pod_logs=plan.keep_logs_days > 0,
        )
        system = SystemPool(
            f"{name}-system",
            plan.system,
            location=location,
            control_plane=control_plane,
            nodes=self._nodes,
            version=plan.versions.system,
            labels=self._labels,
            resource_labels=self._resource_labels,
            opts=here,
        )
        inside = pulumi.ResourceOptions(
            parent=self,
            providers=[
                kubernetes.Provider(
                    f"{name}-kubernetes",
                    kubeconfig=control_plane.kubeconfig,
                    enable_server_side_apply=True,
                    enable_config_map_mutable=True,  # a replaced one is missing for a moment to pods that start
                    opts=pulumi.ResourceOptions(parent=self),
                )
            ],
        )
        kube_dns_by_nodes(f"{name}-kube-dns", after=system.ready, opts=inside)
        fabric = fabric_of(plan.training.shape, plan.versions.fabric)
        workspace = Workspace(
            f"{name}-workspace",
            labels=self._labels,
            pod_security=POD_SECURITY if fabric else "baseline",
            opts=inside,
        )
        # GPU nodes are most of the bill: an API that `up` can't reach, or a fabric that GKE refuses, fails before.
        before_gpus: list[pulumi.Resource] = [*system.ready, workspace.namespace]
        if fabric is not None:
            networks = GpuNetworks(
                f"{name}-gpu-networks", fabric, subnets=network.gpu_subnets, labels=self._labels, opts=inside
            )
            before_gpus += networks.ready
        self._own = (
            None
            if plan.bucket is None
            else OwnBucket(
                f"{name}-bucket",
                plan.bucket,
                location=location,
                apis=services,
                labels=self._resource_labels,
                opts=here,
            )
        )
        storage = self._storage(network)
        home = None
        if plan.home is not None:
            home = Home(
                f"{name}-home",
                plan.home,
                location=location,
                network=network,
                apis=services,
                labels=self._resource_labels,
                opts=here,
            ).volume
        workspace.mount(storage, home)
        spaces = self._people(workspace, services, inside)
        if plan.identities:
            JobIdentities(
                f"{name}-identities",
                bucket_identities(
                    f"{name}-job",
                    plan.identities,
                    self._own,
                    project=location.project,
                    agent=control_plane.key_use.member,
                    after=[control_plane.cluster],
                    opts=here,
                ),
                workspace=workspace,
                spaces=spaces,
                labels=self._labels,
                opts=inside,
            )
        TrainingPool(
            f"{name}-training",
            plan.training,
            location=location,
            cluster_name=control_plane.cluster_name,
            node_account=self._nodes.email,
            gpu_subnets=network.gpu_subnets,
            # A file system takes up to an hour, in which GPUs would wait and cost.
            after=[*control_plane.before_nodes, *before_gpus, *storage.after],
            labels=self._labels,
            resource_labels=self._resource_labels,
            version=plan.versions.nodes,
            gpu_hour_usd=plan.telemetry.watched.gpu_hour_usd,
            opts=here,
        )
        if fabric is not None:
            FabricPlugin(
                f"{name}-fabric",
                fabric,
                labels=self._labels,
                after=before_gpus,
                opts=inside,
            )
        if plan.mig is not None:
            MigPool(
                f"{name}-mig",
                plan.mig,
                location=location,
                control_plane=control_plane,
                nodes=self._nodes,
                version=plan.versions.nodes,
                after=before_gpus,
                labels=self._labels,
                resource_labels=self._resource_labels,
                opts=here,
            )
        if plan.elastic is not None:
            self._elastic(plan.elastic, network, system, inside)
        telemetry = ClusterTelemetry(
            f"{name}-telemetry",
            plan.telemetry,
            cluster_name=plan.cluster_name,
            sink=READ if plan.telemetry.collector else None,
            tolerations=[],
            registry=plan.access.registry,
            labels=self._labels,
            after=system.ready,
            opts=inside,
        )
        read = [*telemetry.ready]
        if plan.broken_nodes != "leave":
            health = NodeHealth(
                f"{name}-node-health",
                settings_json(plan.broken_nodes, job_pools(plan), CONDITIONS),
                tolerations=[],
                registry=plan.access.registry,
                labels=self._labels,
                after=system.ready,
                opts=inside,
            )
            read += health.ready
        Monitoring(
            f"{name}-monitoring",
            plan.telemetry,
            registry=plan.access.registry,
            tolerations=[QUEUED_TOLERATION] if plan.training.queued else [],
            labels=self._labels,
            after=[*system.ready, *read],
            opts=inside,
        )
        Jobs(
            f"{name}-jobs",
            job_pools(plan),
            workspace=workspace,
            home=home is not None,
            tolerations=[],
            registry=plan.access.registry,
            labels=self._labels,
            after=system.ready,
            spaces=spaces,
            opts=inside,
        )
        if plan.access.admins:
            Admins(
                f"{name}-admins",
                plan.access.admins,
                project=location.project,
                connect_role=self._connect_role("connect"),
                labels=self._labels,
                after=services,
                opts=inside,
            )
        images = None
        if plan.registry is not None:
            images = registry(
                f"{name}-registry",
                plan.registry,
                location=location,
                nodes=self._nodes,
                after=services,
                labels=self._resource_labels,
                parent=self,
            )
        self._give(
            control_plane,
            account=location.project,
            metrics=query_endpoint(location.project),
            logs=self._logs(services, here),
            pools=job_pools(plan),
            storage=SharedStorage(id=pulumi.Output.from_input(storage.handle), usable_gib=plan.storage.usable_gib),
            registry=images,
            bucket=None if self._own is None else self._own.address,
            identities=plan.identities,
            facts=plan.facts,
        )

    def _logs(self, services: Sequence[pulumi.Resource], here: pulumi.ResourceOptions) -> Logs | None:
        """Where what pods print is kept."""
        plan = self._plan
        if plan.keep_logs_days == DAYS_OF_DEFAULT:
            return default_logs(plan.cluster_name, plan.location)
        if plan.keep_logs_days == 0:
            return None
        return LogBucket(
            f"{self._name}-logs",
            keep_days=plan.keep_logs_days,
            cluster_name=plan.cluster_name,
            location=plan.location,
            nodes=self._nodes,
            after=services,
            opts=here,
        ).found

    def _connect_role(self, suffix: str) -> str | None:
        """The id of a role with the right to connect, where the API has a DNS name alone."""
        plan = self._plan
        return f"{plan.name}_{plan.account_suffix}_{suffix}".replace("-", "_") if plan.access.dns else None

    def _people(
        self, workspace: Workspace, services: Sequence[pulumi.Resource], inside: pulumi.ResourceOptions
    ) -> list[TeamSpace]:
        """Who submits jobs, and the namespaces of teams."""
        people, name = self._plan.people, self._name
        if people.memberships:
            submitter_access(
                f"{name}-submitters",
                list(people.memberships),
                project=self._plan.location.project,
                connect_role=self._connect_role("submit"),
                after=services,
                opts=pulumi.ResourceOptions(parent=self),
            )
        return people_spaces(
            name,
            people,
            lambda _, principals: list(map(submitter_of, principals)),
            workspace=workspace,
            labels=self._labels,
            opts=inside,
        )

    def _storage(self, network: Network) -> Volume:
        plan, here = self._plan, pulumi.ResourceOptions(parent=self)
        if isinstance(plan.storage, BucketPlan):
            return BucketStorage(
                f"{self._name}-storage",
                plan.storage,
                location=plan.location,
                apis=self._services,
                after=[self._control_plane.cluster],
                namespaces=plan.people.namespaces,
                labels=self._resource_labels,
                opts=here,
            ).volume
        if isinstance(plan.storage, MountedPlan):
            return mounted_storage(plan.storage)
        return LustreStorage(
            f"{self._name}-storage",
            plan.storage,
            instance_id=plan.cluster_name,
            location=plan.location,
            network=network,
            range_cidr=plan.network.addresses.private_services,
            own_bucket=self._own,
            apis=self._services,
            labels=self._resource_labels,
            opts=here,
        ).volume

    def _elastic(
        self, elastic: ElasticPlan, network: Network, system: SystemPool, inside: pulumi.ResourceOptions
    ) -> None:
        plan, name = self._plan, f"{self._name}-elastic"
        location = plan.location
        if elastic.engine == "karpenter":
            KarpenterPools(
                name,
                KarpenterPoolsArgs(
                    project=location.project,
                    region=location.region,
                    zone=location.zone,
                    cluster_name=self._control_plane.cluster_name,
                    cluster_location=location.region,
                    subnetwork=network.subnetwork_id,
                    account_id=f"{plan.name}-karp-{plan.account_suffix}",
                    node_account=self._nodes.email,
                    template_pool=system.node_pool_name,
                    machine_type=elastic.shape.machine_type,
                    pools=elastic.pools,
                    resource_labels=self._resource_labels(f"{name}-node"),
                    boot_gib=elastic.root_gib,
                    registry=plan.access.registry,
                ),
                labels=self._labels,
                after=system.ready,
                opts=inside,
            )
            return
        NativePools(
            name,
            elastic,
            location=location,
            control_plane=self._control_plane,
            nodes=self._nodes,
            labels=self._labels,
            resource_labels=self._resource_labels,
            after=system.ready,
            opts=inside,
        )


def _services(plan: GcpClusterPlan) -> list[str]:
    """The APIs in use."""
    mounted = isinstance(plan.storage, BucketPlan)
    return [
        *(["artifactregistry"] if plan.registry is not None else []),
        "cloudkms",
        "compute",
        "container",
        "dns",
        *(["file"] if plan.home is not None else []),
        "iam",
        *(["logging"] if plan.keep_logs_days not in (0, DAYS_OF_DEFAULT) else []),
        *(["servicenetworking"] if plan.network.private_services else []),
        *(["storage"] if mounted or plan.bucket is not None else []),
        *([] if mounted else ["lustre"]),
    ]
