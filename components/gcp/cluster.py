"""The training cluster on Google Cloud: puts the parts together; and the provider of its resources.

Optional parts are imported where they are created.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from gpucluster.components.cluster.outputs import Logs
from gpucluster.components.cluster.shared_cluster import Inside, SharedCluster
from gpucluster.components.gcp.control_plane import ControlPlane
from gpucluster.components.gcp.fabric.fabric import POD_SECURITY, fabric_of
from gpucluster.components.gcp.fabric.fabric_objects import FabricPlugin, GpuNetworks
from gpucluster.components.gcp.identity import NodeIdentity, submitter_access, submitter_of
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.logs import LogBucket, default_logs
from gpucluster.components.gcp.monitoring import Monitoring, query_endpoint
from gpucluster.components.gcp.network import Network
from gpucluster.components.gcp.planning.machines import BLOCK_CLASSES, CONDITIONS, MAINTENANCE
from gpucluster.components.gcp.planning.plan import DAYS_OF_DEFAULT, GcpClusterPlan
from gpucluster.components.gcp.planning.pools import ElasticPlan
from gpucluster.components.gcp.pools.job_pools import job_pools
from gpucluster.components.gcp.pools.system_pool import SystemPool, kube_dns_by_nodes
from gpucluster.components.gcp.pools.training_pool import TrainingPool
from gpucluster.components.gcp.services import after_grant, enabled_services
from gpucluster.components.gcp.storage.registry import registry
from gpucluster.components.gcp.storage.storage import BucketStorage, LustreStorage, existing_storage
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.kubernetes.telemetry.collector import READ
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.shared.file_systems import ExistingStoragePlan

if TYPE_CHECKING:
    from gpucluster.components.gcp.storage.cluster_bucket import OwnBucket
    from gpucluster.components.kubernetes.job_identities import JobIdentity


class TrainingCluster(SharedCluster[GcpClusterPlan]):
    """A GKE cluster with one co-located training pool."""

    def __init__(self, name: str, plan: GcpClusterPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gcp", name, plan, opts)
        location, registry_of = plan.location, plan.access.registry
        self._services = enabled_services(f"{name}-api", plan.services, self._here)
        self._control_plane, self._network = self._gke()
        self._system = SystemPool(
            f"{name}-system",
            plan.system,
            location=location,
            control_plane=self._control_plane,
            nodes=self._nodes,
            version=plan.versions.system,
            opts=self._here,
        )
        ready = self._system.ready
        fabric = fabric_of(plan.training.shape, plan.versions.fabric)
        found = Inside(
            pools=job_pools(plan),
            after=ready,
            registry=registry_of,
            conditions=CONDITIONS,
            block_classes=BLOCK_CLASSES,
            maintenance=MAINTENANCE,
        )
        up, security = self._control_plane.provider_kubeconfig, POD_SECURITY if fabric else "baseline"
        self._open(self._control_plane, found, kubeconfig=up, pod_security=security)
        kube_dns_by_nodes(f"{name}-kube-dns", after=ready, opts=self._inside)
        # GPU nodes are most of the bill: if `up` can't reach the API, or GKE refuses the fabric, it fails before them.
        before_gpus: list[pulumi.Resource] = [*ready, self._workspace.namespace]
        if fabric is not None:
            before_gpus += GpuNetworks(
                f"{name}-gpu-networks", fabric, subnets=self._network.gpu_subnets, opts=self._inside
            ).ready
        storage = self._files()
        self._people()
        self._pools(before_gpus, storage)
        if fabric is not None:
            FabricPlugin(f"{name}-fabric", fabric, after=before_gpus, opts=self._inside)
        queue = self._queue()
        Monitoring(
            f"{name}-monitoring",
            plan.telemetry,
            karpenter=plan.elastic is not None and plan.elastic.engine == "karpenter",
            registry=registry_of,
            after=[*ready, *self._watch(lambda: READ)],
            queue=queue,
            opts=self._inside,
        )
        images = None
        if plan.registry is not None:
            images = registry(
                f"{name}-registry",
                plan.registry,
                location=location,
                nodes=self._nodes,
                after=self._services,
                parent=self,
            )
        self._end(
            account=location.project,
            metrics=query_endpoint(location.project),
            logs=self._logs(),
            storage=storage.handle,
            registry=images,
            bucket=self._own,
        )

    def _gke(self) -> tuple[ControlPlane, Network]:
        """The control plane and its network; the network waits for the key and the nodes' service account."""
        name, plan, location = self._name, self._plan, self._plan.location
        # Without an existing network, the grants propagate while the network is created, before the cluster.
        grant_hook = None if plan.network.existing is None else after_grant()
        self._nodes = NodeIdentity(
            f"{name}-identity",
            project=location.project,
            account_id=f"{name}-node-{plan.account_suffix}",
            after=self._services,
            grant_hook=grant_hook,
            opts=self._here,
        )
        control_plane = ControlPlane(
            f"{name}-control-plane",
            location=location,
            existing_key=plan.secrets_key,
            after=self._services,
            grant_hook=grant_hook,
            opts=self._here,
        )
        network = Network(
            f"{name}-network",
            plan.network,
            location,
            after=[*self._services, *self._nodes.grants, control_plane.key_use],
            opts=self._here,
        )
        blobs = isinstance(plan.storage, BucketPlan)
        control_plane.start(
            cluster_name=plan.cluster_name,
            version=plan.kubernetes_version,
            extended=plan.versions.extended,
            access=plan.access,
            security_group=plan.security_group,
            network=network,
            nodes=self._nodes,
            lustre=not blobs,
            bucket=blobs,
            filestore=plan.home is not None,
            limits=plan.limits,
            million_samples=plan.telemetry.million_samples,
            pod_logs=plan.keep_logs_days > 0,
        )
        return control_plane, network

    def _files(self) -> Volume:
        """The cluster's own bucket, the shared storage (returned) and home folders."""
        name, plan, location = self._name, self._plan, self._plan.location
        self._own: OwnBucket | None = None
        if plan.bucket is not None:
            from gpucluster.components.gcp.storage.cluster_bucket import OwnBucket

            self._own = OwnBucket(
                f"{name}-bucket", plan.bucket, location=location, apis=self._services, opts=self._here
            )
        storage, home = self._storage(), None
        if plan.home is not None:
            from gpucluster.components.gcp.storage.home import Home

            home = Home(
                f"{name}-home",
                plan.home,
                location=location,
                network=self._network,
                apis=self._services,
                opts=self._here,
            ).volume
        self._mount(storage, home)
        return storage

    def _people(self) -> None:
        name, plan, project = self._name, self._plan, self._plan.location.project
        if plan.people.memberships:
            submitter_access(
                f"{name}-submitters",
                list(plan.people.memberships),
                project=project,
                connect_role=self._connect_role("submit"),
                after=self._services,
                opts=self._here,
            )
        self._admit(lambda _, principals: list(map(submitter_of, principals)), self._identities)
        if plan.access.admins:
            from gpucluster.components.gcp.identity import Admins

            Admins(
                f"{name}-admins",
                plan.access.admins,
                project=project,
                connect_role=self._connect_role("connect"),
                after=self._services,
                opts=self._inside,
            )

    def _identities(self) -> list[JobIdentity]:
        from gpucluster.components.gcp.storage.cluster_bucket import bucket_identities

        return bucket_identities(
            f"{self._name}-job",
            self._plan.identities,
            self._own,
            project=self._plan.location.project,
            agent=self._control_plane.key_use.member,
            after=[self._control_plane.cluster],
            opts=self._here,
        )

    def _pools(self, before: Sequence[pulumi.Resource], storage: Volume) -> None:
        """The GPU pools. before: prerequisites that make their nodes usable."""
        name, plan, location = self._name, self._plan, self._plan.location
        TrainingPool(
            f"{name}-training",
            plan.training,
            location=location,
            cluster_name=self._control_plane.cluster_name,
            node_account=self._nodes.email,
            gpu_subnets=self._network.gpu_subnets,
            # A file system takes up to an hour to create; GPUs would be billed while they wait.
            after=[*self._control_plane.before_nodes, *before, *storage.after],
            version=plan.versions.nodes,
            gpu_hour_usd=plan.telemetry.watched.gpu_hour_usd,
            opts=self._here,
        )
        if plan.mig is not None:
            from gpucluster.components.gcp.pools.mig_pool import MigPool

            MigPool(
                f"{name}-mig",
                plan.mig,
                location=location,
                control_plane=self._control_plane,
                nodes=self._nodes,
                version=plan.versions.nodes,
                after=before,
                opts=self._here,
            )
        if plan.elastic is not None:
            self._elastic(plan.elastic)

    def _logs(self) -> Logs | None:
        """The log store of the pods' output."""
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
            after=self._services,
            opts=self._here,
        ).found

    def _connect_role(self, suffix: str) -> str | None:
        """The id of a role with the permission to connect, if the API has only a DNS name."""
        plan = self._plan
        return f"{plan.name}_{plan.account_suffix}_{suffix}".replace("-", "_") if plan.access.dns else None

    def _storage(self) -> Volume:
        plan, here = self._plan, self._here
        if isinstance(plan.storage, BucketPlan):
            return BucketStorage(
                f"{self._name}-storage",
                plan.storage,
                location=plan.location,
                apis=self._services,
                after=[self._control_plane.cluster],
                namespaces=plan.people.namespaces,
                opts=here,
            ).volume
        if isinstance(plan.storage, ExistingStoragePlan):
            return existing_storage(plan.storage)
        return LustreStorage(
            f"{self._name}-storage",
            plan.storage,
            instance_id=plan.cluster_name,
            location=plan.location,
            network=self._network,
            range_cidr=plan.network.addresses.private_services,
            own_bucket=self._own,
            apis=self._services,
            opts=here,
        ).volume

    def _elastic(self, elastic: ElasticPlan) -> None:
        plan, name, ready = self._plan, f"{self._name}-elastic", self._system.ready
        location = plan.location
        if elastic.engine == "karpenter":
            from gpucluster.components.gcp.pools.elastic_pools import KarpenterPools, KarpenterPoolsArgs

            KarpenterPools(
                name,
                KarpenterPoolsArgs(
                    project=location.project,
                    region=location.region,
                    zone=location.zone,
                    cluster_name=self._control_plane.cluster_name,
                    cluster_location=location.region,
                    subnetwork=self._network.subnetwork_id,
                    account_id=f"{plan.name}-karp-{plan.account_suffix}",
                    node_account=self._nodes.email,
                    template_pool=self._system.node_pool_name,
                    machine_type=elastic.shape.machine_type,
                    pools=elastic.pools,
                    boot_gib=elastic.root_gib,
                    registry=plan.access.registry,
                ),
                after=ready,
                opts=self._inside,
            )
            return
        from gpucluster.components.gcp.pools.compute_classes import NativePools

        NativePools(
            name,
            elastic,
            location=location,
            control_plane=self._control_plane,
            nodes=self._nodes,
            after=ready,
            opts=self._inside,
        )


def provider(name: str, location: Location, opts: pulumi.ResourceOptions | None = None) -> gcp.Provider:
    """The provider for the location of a cluster, regardless of the stack's configuration."""
    return gcp.Provider(name, project=location.project, region=location.region, zone=location.zone, opts=opts)
