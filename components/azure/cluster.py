"""The training cluster on Azure: puts the parts together; and the provider of its resources.

Optional parts are imported where they are created.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pulumi
import pulumi_azure_native as azure
from pulumi_azure_native import resources

from gpucluster.components.azure.control_plane import ControlPlane
from gpucluster.components.azure.identity import ClusterIdentity, role_assignment
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.logs import LogWorkspace
from gpucluster.components.azure.monitoring import MetricsCollection, Monitoring
from gpucluster.components.azure.network import Network
from gpucluster.components.azure.planning.machines import BLOCK_CLASSES, CONDITIONS, LABELS
from gpucluster.components.azure.planning.network_plan import MACHINE_SERVICES, subscription_of
from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.components.azure.planning.pools import ElasticPlan
from gpucluster.components.azure.planning.storage import LustrePlan
from gpucluster.components.azure.pools.gpu_software import NO_MIG, POD_SECURITY, GpuSoftware
from gpucluster.components.azure.pools.job_pools import CONTROLLERS, NAME, job_pools, nd_v5_topology
from gpucluster.components.azure.pools.node_pool import GpuNodes
from gpucluster.components.azure.pools.node_storage import LustreDriver, Scratch
from gpucluster.components.azure.pools.training_pool import TrainingPool, feature_registration
from gpucluster.components.azure.settings import SYSTEMS
from gpucluster.components.azure.storage.registry import registry
from gpucluster.components.azure.storage.storage import shared_storage
from gpucluster.components.cluster.shared_cluster import Inside, SharedCluster
from gpucluster.components.kubernetes.objects.objects import CONFIG_MAP, Declared, manifest_of
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.kubernetes.submitters import Submitter
from gpucluster.components.kubernetes.telemetry.collector import READ
from gpucluster.components.kubernetes.workspaces import TeamSpace, Workspace
from gpucluster.components.planning.names import TRAINING_POOL
from gpucluster.core.catalog.azure_regions import has_infiniband
from gpucluster.core.catalog.fabrics import release_of

if TYPE_CHECKING:
    from gpucluster.components.azure.storage.cluster_bucket import OwnBucket
    from gpucluster.components.kubernetes.job_identities import JobIdentity


class TrainingCluster(SharedCluster[AzureClusterPlan]):
    """An AKS cluster with one co-located training pool."""

    def __init__(self, name: str, plan: AzureClusterPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("azure", name, plan, opts)
        location, fabric = plan.location, has_infiniband(plan.training.shape.machine_type)
        self._provisioned = plan.elastic is not None and plan.elastic.engine == "karpenter"
        group = resources.ResourceGroup(f"{name}-group", opts=self._here)
        self._group = group.name
        self._network = self._vnet(group)
        log_workspace = None
        if plan.keep_logs_days:
            log_workspace = LogWorkspace(
                f"{name}-logs", keep_days=plan.keep_logs_days, group=self._group, opts=self._here
            )
        self._control_plane = control_plane = self._aks(log_workspace)
        monitoring = Monitoring(
            f"{name}-monitoring",
            group=self._group,
            control_plane=control_plane,
            plan=plan.telemetry,
            opts=self._here,
        )
        found = Inside(
            pools=job_pools(plan),
            after=[control_plane.cluster],
            tolerations=CONTROLLERS,
            registry=None,
            conditions=CONDITIONS,
            block_classes=BLOCK_CLASSES,
            labels={TRAINING_POOL: LABELS} if fabric and plan.driver == "operators" else {},
            closed=MACHINE_SERVICES,
            address=self._network.egress_ip,
        )
        self._open(control_plane, found, opened=control_plane.open, pod_security=POD_SECURITY)
        software = GpuSoftware(
            f"{name}-gpu-software",
            owner=plan.driver,
            infiniband=fabric,
            mig=None if plan.mig is None else plan.mig.pool.strategy,
            mig_layout=None if plan.mig is None or plan.mig.config is None else (plan.mig.layout, plan.mig.config),
            roll=plan.training.roll,
            # If `up` can't reach the API, it fails here.
            after=[self._workspace.namespace],
            opts=self._inside,
        ).ready
        storage = self._files()
        spaces = self._people()
        # GPU nodes are most of the bill: everything they need is created before they start.
        self._pools(software, storage)
        self._topology(spaces)
        read = [*software, *self._watch(lambda: READ)]
        MetricsCollection(
            f"{name}-metrics",
            plan.telemetry,
            infiniband=fabric,
            after=read,
            queue=self._queue(),
            opts=self._inside,
        )
        images = None
        if plan.registry is not None:
            images = registry(
                f"{name}-registry",
                plan.registry,
                subscription=location.subscription,
                group=self._group,
                control_plane=control_plane,
                parent=self,
            )
        self._end(
            account=group.id,
            metrics=monitoring.query_endpoint,
            logs=None if log_workspace is None else log_workspace.collect(control_plane),
            storage=storage.handle,
            registry=images,
            bucket=self._own,
        )

    def _vnet(self, group: resources.ResourceGroup) -> Network:
        plan, location = self._plan, self._plan.location
        machine = plan.training.shape.machine_type
        feature = feature_registration(f"cluster {self._name}", machine, location.settings, parent=self, after=[group])
        return Network(
            f"{self._name}-network",
            plan.addresses,
            location,
            group=self._group,
            linked=isinstance(plan.storage, LustrePlan) and plan.storage.bucket is not None,
            peer=plan.access.peer,
            peer_gateway=plan.access.peer_gateway,
            # Every expensive resource depends on the network, so on this check too.
            opts=pulumi.ResourceOptions(parent=self, depends_on=feature),
        )

    def _aks(self, log_workspace: LogWorkspace | None) -> ControlPlane:
        """The control plane and its Azure identity."""
        name, plan, location = self._name, self._plan, self._plan.location
        reserved_in, existing = plan.training.placement.reserved_in, plan.addresses.existing
        subscription = location.subscription
        identity = ClusterIdentity(
            f"{name}-identity",
            group=self._group,
            roles={
                "network": (
                    "Network Contributor",
                    self._network.network_id,
                    subscription if existing is None else subscription_of(existing.id),
                ),
                **({"reservation": ("Contributor", reserved_in, subscription)} if reserved_in else {}),
            },
            opts=self._here,
        )
        return ControlPlane(
            f"{name}-control-plane",
            cluster_name=plan.cluster_name,
            version=plan.kubernetes_version,
            extended=plan.versions.extended,
            group=self._group,
            subscription=location.subscription,
            access=plan.access,
            addresses=plan.addresses,
            network=self._network,
            identity=identity,
            system=plan.system,
            os_sku=SYSTEMS[plan.location.settings.ubuntu].os_sku,
            provisioning=self._provisioned,
            log_workspace=None if log_workspace is None else log_workspace.workspace_id,
            keep_empty=None if plan.elastic is None or self._provisioned else plan.elastic.keep_empty,
            blobs=plan.blobs,
            opts=self._here,
        )

    def _files(self) -> Volume:
        """The cluster's own bucket, the shared storage (returned) and home folders."""
        name, plan, group = self._name, self._plan, self._group
        self._own: OwnBucket | None = None
        if plan.bucket is not None:
            from gpucluster.components.azure.storage.cluster_bucket import OwnBucket

            linked = plan.storage.bucket if isinstance(plan.storage, LustrePlan) else None
            self._own = OwnBucket(
                f"{name}-bucket",
                plan.bucket,
                account_name=plan.bucket_account,
                group=group,
                keys=linked is not None and not linked.account,
                opts=self._here,
            )
        storage = shared_storage(
            f"{name}-storage",
            plan,
            group=group,
            network=self._network,
            control_plane=self._control_plane,
            own_bucket=self._own,
            opts=self._here,
        )
        home = None
        if plan.home is not None:
            from gpucluster.components.azure.storage.home import Home

            home = Home(
                f"{name}-home",
                plan.home,
                account_name=plan.account_name,
                group=group,
                network=self._network,
                opts=self._here,
            ).volume
        self._driver: list[pulumi.Resource] = []
        if not plan.blobs:
            after = [self._workspace.namespace]
            self._driver = LustreDriver(f"{name}-lustre", after=after, opts=self._inside).ready
        self._mount(dataclasses.replace(storage, after=[*storage.after, *self._driver]), home)
        return storage

    def _people(self) -> list[TeamSpace]:
        name, plan, control_plane = self._name, self._plan, self._control_plane
        for who in plan.people.memberships:
            # To find the cluster and log in to it; Kubernetes decides their permissions inside.
            role_assignment(
                f"{name}-submitters-{who}",
                "Azure Kubernetes Service Cluster User Role",
                scope=control_plane.cluster.id,
                principal=who,
                subscription=plan.location.subscription,
                kind="Group",
                opts=self._here,
            )
        return self._admit(
            lambda _, groups: [Submitter(name=group_id) for group_id in groups],
            self._identities,
        )

    def _identities(self) -> list[JobIdentity]:
        from gpucluster.components.azure.storage.cluster_bucket import bucket_identities

        return bucket_identities(
            f"{self._name}-job",
            self._plan.identities,
            self._own,
            location=self._plan.location,
            group=self._group,
            control_plane=self._control_plane,
            opts=self._here,
        )

    def _pools(self, before: Sequence[pulumi.Resource], storage: Volume) -> None:
        """The GPU pools. before: prerequisites that make their nodes usable."""
        name, plan = self._name, self._plan
        nodes = GpuNodes(
            group=self._group,
            cluster_name=self._control_plane.cluster_name,
            subnet_id=self._network.nodes_id,
            version=plan.versions.nodes or plan.kubernetes_version,
            zones=plan.location.zones,
            driver=plan.driver,
            os_sku=SYSTEMS[plan.location.settings.ubuntu].os_sku,
            whole=NO_MIG if plan.mig is not None and plan.driver == "operators" else {},
            after=self._control_plane.ready,
        )
        if plan.elastic is not None and not self._provisioned:
            from gpucluster.components.azure.pools.elastic_pools import NativePools

            # First: they start with no machine, so they need no capacity.
            NativePools(f"{name}-elastic", plan.elastic, nodes=nodes, after=before, opts=self._here)
        TrainingPool(
            f"{name}-training",
            plan.training,
            location=plan.location,
            group=self._group,
            nodes=nodes,
            # A file system takes long to create; GPUs would be billed while they wait.
            after=[*before, *storage.after],
            image=plan.versions.image,
            gpu_hour_usd=plan.telemetry.watched.gpu_hour_usd,
            opts=self._here,
        )
        if plan.training.shape.nvme_disks:
            Scratch(
                f"{name}-scratch",
                disks=plan.training.shape.nvme_disks,
                pools=[TRAINING_POOL],
                after=[self._workspace.namespace],
                opts=self._inside,
            )
        if plan.mig is not None:
            from gpucluster.components.azure.pools.mig_pool import MigPool

            MigPool(f"{name}-mig", plan.mig, nodes=nodes, after=before, opts=self._here)
        if plan.elastic is not None and self._provisioned:
            self._karpenter(plan.elastic, [self._control_plane.cluster, *before, *self._driver])

    def _karpenter(self, elastic: ElasticPlan, after: Sequence[pulumi.Resource]) -> None:
        from gpucluster.components.azure.pools.elastic_pools import KarpenterPools, KarpenterPoolsArgs

        plan = self._plan
        KarpenterPools(
            f"{self._name}-elastic",
            KarpenterPoolsArgs(
                zone=plan.location.zone if plan.location.number else None,
                subnet_id=self._network.nodes_id,
                machine_types=[elastic.shape.machine_type],
                pools=elastic.pools,
                driver_owner=plan.driver,
                image_family=SYSTEMS[plan.location.settings.ubuntu].image_family,
                lustre=not plan.blobs,
                os_disk_gb=elastic.root_gib,
            ),
            after=after,
            opts=self._inside,
        )

    def _topology(self, spaces: Sequence[TeamSpace]) -> None:
        """NCCL's topology file; the runtimes mount it from their job's namespace."""
        topology = release_of(self._plan.training.shape).topology
        if not topology:
            return
        of_all: tuple[str, Workspace | TeamSpace, Mapping[str, str]] = ("topology", self._workspace, {})
        for suffix, space, labels in (
            of_all,
            *((f"team-{space.team.name}.topology", space, space.labels) for space in spaces),
        ):
            Declared(
                f"{self._name}-{suffix}",
                manifest_of(
                    CONFIG_MAP,
                    {"data": {topology: nd_v5_topology()}},
                    object_name=NAME,
                    namespace=space.namespace.object_name,
                    labels=labels,
                ),
                self._inside,
            )


def provider(name: str, location: Location, opts: pulumi.ResourceOptions | None = None) -> azure.Provider:
    """The provider for the location of a cluster, regardless of the stack's configuration."""
    return azure.Provider(name, subscription_id=location.subscription, location=location.region, opts=opts)
