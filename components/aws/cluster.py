"""The training cluster on AWS: puts the parts together; and the provider of its resources.

Optional parts are imported where they are created.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws
from pulumi_aws import iam

from gpucluster.components.aws.control_plane import ControlPlane
from gpucluster.components.aws.identity import group_of, submitter_access
from gpucluster.components.aws.location import Location, addon_registry
from gpucluster.components.aws.logs import PodLogs
from gpucluster.components.aws.monitoring import Monitoring
from gpucluster.components.aws.network import Network
from gpucluster.components.aws.planning.machines import CONDITIONS
from gpucluster.components.aws.planning.plan import AwsClusterPlan, HomePlan, collects_metrics
from gpucluster.components.aws.pools.job_pools import job_pools
from gpucluster.components.aws.pools.system_pool import SystemPool
from gpucluster.components.aws.pools.training_pool import TrainingPool
from gpucluster.components.aws.storage.registry import registry
from gpucluster.components.aws.storage.storage import BLOCK_CLASS, BlockStorage, Storage
from gpucluster.components.cluster.outputs import Logs
from gpucluster.components.cluster.shared_cluster import Inside, SharedCluster
from gpucluster.components.kubernetes.devices import Devices
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.kubernetes.telemetry.gpu_exporter import GpuExporter
from gpucluster.components.planning.labels import aws_tags
from gpucluster.components.planning.names import ELASTIC, MIG_POOL, SYSTEM_POOL, TRAINING_POOL

if TYPE_CHECKING:
    from gpucluster.components.aws.storage.cluster_bucket import OwnBucket
    from gpucluster.components.kubernetes.job_identities import JobIdentity


class TrainingCluster(SharedCluster[AwsClusterPlan]):
    """An EKS cluster with one co-located training pool."""

    def __init__(self, name: str, plan: AwsClusterPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("aws", name, plan, opts)
        self._network = Network(f"{name}-network", plan.network, plan.location, self._here)
        self._control_plane = self._eks()
        self._system = SystemPool(
            f"{name}-system",
            plan.system,
            version=plan.versions.system,
            labels=plan.labels,
            control_plane=self._control_plane,
            subnet_ids=self._network.cluster_subnet_ids,
            opts=self._here,
        )
        ready = self._system.ready
        found = Inside(
            pools=job_pools(plan),
            after=ready,
            registry=plan.access.registry,
            conditions=CONDITIONS,
            block_classes=[BLOCK_CLASS],
            address=self._network.egress_ip,
        )
        self._open(self._control_plane, found, kubeconfig=self._control_plane.provider_kubeconfig)
        training = self._training()
        self._own = self._bucket()
        storage = self._files(training)
        self._people()
        Devices(
            f"{name}-devices",
            registry=plan.access.registry,
            efa_registry=addon_registry(plan.location.region),
            mig=None if plan.mig is None else plan.mig.pool.strategy,
            after=ready,
            opts=self._inside,
        )
        node_roles = {SYSTEM_POOL: self._system.node_role, TRAINING_POOL: training.node_role, **self._other_pools()}
        images = None
        if plan.registry is not None:
            images = registry(
                f"{name}-registry", plan.registry, region=plan.location.region, node_roles=node_roles, parent=self
            )
        GpuExporter(f"{name}-gpu-exporter", registry=plan.access.registry, after=ready, opts=self._inside)
        monitoring = Monitoring(
            f"{name}-monitoring",
            plan.telemetry,
            control_plane=self._control_plane,
            karpenter=plan.elastic is not None,
            collected=collects_metrics(plan.location.region),
            subnet_ids=self._network.cluster_subnet_ids,
            opts=self._here,
        )
        self._watch(monitoring.sink)
        logs = self._logs()
        self._queue()
        self._end(
            account=self._control_plane.cluster.arn.apply(lambda arn: arn.split(":")[4]),
            metrics=monitoring.query_endpoint.apply(lambda url: url and url.rstrip("/")),
            logs=logs,
            storage=storage.file_system_id,
            registry=images,
            bucket=self._own,
        )

    def _eks(self) -> ControlPlane:
        plan, network = self._plan, self._network
        return ControlPlane(
            f"{self._name}-control-plane",
            cluster_name=plan.cluster_name,
            version=plan.kubernetes_version,
            builds=plan.addons,
            extended=plan.versions.extended,
            region=plan.location.region,
            role=plan.location.role,
            access=plan.access,
            vpc_id=network.vpc_id,
            subnet_ids=network.cluster_subnet_ids,
            service_cidr=plan.network.service_cidr,
            existing_key=plan.secrets_key,
            nodes_after=network.egress,
            opts=self._here,
        )

    def _training(self) -> TrainingPool:
        plan, control_plane = self._plan, self._control_plane
        return TrainingPool(
            f"{self._name}-training",
            plan.training,
            location=plan.location,
            cluster_name=control_plane.cluster_name,
            cluster_group_id=control_plane.security_group_id,
            vpc_id=self._network.vpc_id,
            subnet_id=self._network.gpu_subnet_id,
            # These nodes are most of the bill: if `up` can't reach the API, it fails before they start.
            after=[*control_plane.before_nodes, self._workspace.namespace],
            repair=plan.broken_nodes == "drain",
            version=plan.versions.nodes,
            labels=plan.labels,
            gpu_hour_usd=plan.telemetry.watched.gpu_hour_usd,
            opts=self._here,
        )

    def _bucket(self) -> OwnBucket | None:
        if self._plan.bucket is None:
            return None
        from gpucluster.components.aws.storage.cluster_bucket import OwnBucket

        return OwnBucket(f"{self._name}-bucket", self._plan.bucket, self._here)

    def _files(self, training: TrainingPool) -> Storage:
        """The shared storage, home folders, and volumes of single pods."""
        name, plan = self._name, self._plan
        storage = Storage(
            f"{name}-storage",
            plan.storage,
            network=self._network,
            control_plane=self._control_plane,
            client_cidr=plan.network.vpc_cidr,
            fabric_group_id=training.fabric_group_id,
            own_bucket=self._own,
            after=self._system.ready,
            opts=self._here,
        )
        BlockStorage(
            f"{name}-block-storage",
            control_plane=self._control_plane,
            after=self._system.ready,
            volume_tags=aws_tags(plan.labels, project=pulumi.get_project(), stack=plan.stack, name=""),
            opts=self._inside,
        )
        shared = Volume(
            driver="fsx.csi.aws.com",
            handle=storage.file_system_id,
            attributes={"dnsname": storage.dns_name, "mountname": storage.mount_name},
            mount_options=["flock", "noatime", "lazystatfs"],
            capacity_gib=plan.storage.usable_gib,
            after=storage.ready,
        )
        self._mount(shared, None if plan.home is None else self._home(plan.home))
        return storage

    def _home(self, home: HomePlan) -> Volume:
        from gpucluster.components.aws.storage.home import Home

        files = Home(
            f"{self._name}-home",
            home,
            vpc_id=self._network.vpc_id,
            subnet_ids=self._network.zone_subnet_ids,
            control_plane=self._control_plane,
            after=self._system.ready,
            opts=self._here,
        )
        return Volume(
            driver="efs.csi.aws.com",
            handle=files.file_system_id,
            capacity_gib=max(1, math.ceil(Decimal(home.expected_gib))),
            after=files.ready,
        )

    def _people(self) -> None:
        name, plan, control_plane = self._name, self._plan, self._control_plane
        submitter_access(
            f"{name}-submitters",
            plan.people.memberships,
            control_plane.cluster_name,
            self._here,
        )
        self._admit(
            lambda namespace, _: [group_of(namespace)],
            self._identities,
        )

    def _identities(self) -> list[JobIdentity]:
        from gpucluster.components.aws.storage.cluster_bucket import bucket_identities

        return bucket_identities(
            f"{self._name}-job",
            self._plan.identities,
            self._own,
            control_plane=self._control_plane,
            opts=self._here,
        )

    def _other_pools(self) -> dict[str, iam.Role]:
        """Creates the MIG and elastic pools; returns the roles of their nodes."""
        name, plan, location = self._name, self._plan, self._plan.location
        roles: dict[str, iam.Role] = {}
        if plan.mig is not None:
            from gpucluster.components.aws.pools.mig_pool import MigPool

            roles[MIG_POOL] = MigPool(
                f"{name}-mig",
                plan.mig,
                zone=location.zone,
                network=self._network,
                control_plane=self._control_plane,
                after=[self._workspace.namespace],
                repair=plan.broken_nodes == "drain",
                version=plan.versions.nodes,
                labels=plan.labels,
                opts=self._here,
            ).node_role
        if plan.elastic is not None:
            from gpucluster.components.aws.pools.elastic_pools import ElasticPools

            roles[ELASTIC] = ElasticPools(
                f"{name}-elastic",
                plan.elastic,
                region=location.region,
                zone=location.zone,
                access=plan.access,
                network=self._network,
                control_plane=self._control_plane,
                after=self._system.ready,
                image=plan.versions.release,
                opts=self._inside,
            ).node_role
        return roles

    def _logs(self) -> Logs | None:
        """The log store of the pods' output."""
        plan = self._plan
        if not plan.keep_logs_days:
            return None
        return PodLogs(
            f"{self._name}-logs",
            keep_days=plan.keep_logs_days,
            control_plane=self._control_plane,
            cluster_name=plan.cluster_name,
            registry=plan.access.registry,
            after=self._control_plane.before_nodes,
            opts=self._inside,
        ).found


def provider(name: str, location: Location, opts: pulumi.ResourceOptions | None = None) -> aws.Provider:
    """The provider for the location of a cluster, regardless of the stack's configuration; with a login of another
    account than the location's it refuses every operation, also in a preview.
    """
    accounts = None if location.account is None else [location.account]
    roles = None if location.role is None else [aws.ProviderAssumeRoleArgs(role_arn=location.role)]
    return aws.Provider(name, region=location.region, allowed_account_ids=accounts, assume_roles=roles, opts=opts)
