"""The training cluster on Azure: puts the parts together."""

from __future__ import annotations

import dataclasses

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import resources
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from gpucluster.catalog.azure_sizes import has_infiniband
from gpucluster.catalog.fabric_releases import release_of
from gpucluster.components.azure.addresses import MACHINE_SERVICES
from gpucluster.components.azure.control_plane import ControlPlane
from gpucluster.components.azure.gpu_software import NO_MIG, POD_SECURITY, GpuSoftware
from gpucluster.components.azure.home import Home
from gpucluster.components.azure.identity import ClusterIdentity, granted, tagger
from gpucluster.components.azure.infiniband_feature import feature_registered
from gpucluster.components.azure.job_pools import job_pools
from gpucluster.components.azure.karpenter_pools import KarpenterPools, KarpenterPoolsArgs
from gpucluster.components.azure.logs import LogWorkspace
from gpucluster.components.azure.lustre import LustrePlan
from gpucluster.components.azure.lustre_driver import LustreDriver
from gpucluster.components.azure.metrics_collection import MetricsCollection
from gpucluster.components.azure.mig_pool import MigPool
from gpucluster.components.azure.monitoring import Monitoring
from gpucluster.components.azure.native_pools import NativePools
from gpucluster.components.azure.nd_topology import NAME, nd_v5_topology
from gpucluster.components.azure.network import Network
from gpucluster.components.azure.node_health import CONDITIONS
from gpucluster.components.azure.node_image import OS_SKU
from gpucluster.components.azure.node_pool import GpuNodes
from gpucluster.components.azure.own_bucket import OwnBucket, bucket_identities
from gpucluster.components.azure.plan import AzureClusterPlan
from gpucluster.components.azure.registry import registry
from gpucluster.components.azure.scratch import Scratch
from gpucluster.components.azure.storage import shared_storage
from gpucluster.components.azure.tolerations import CONTROLLERS
from gpucluster.components.azure.training_pool import TrainingPool
from gpucluster.components.kubernetes.checks import check_object
from gpucluster.components.kubernetes.cluster_telemetry import ClusterTelemetry
from gpucluster.components.kubernetes.job_identities import JobIdentities
from gpucluster.components.kubernetes.jobs import Jobs
from gpucluster.components.kubernetes.metrics_sink import READ
from gpucluster.components.kubernetes.node_health.objects import NodeHealth
from gpucluster.components.kubernetes.node_health.plan import settings_json
from gpucluster.components.kubernetes.submitters import Submitter
from gpucluster.components.kubernetes.team_space import people_spaces
from gpucluster.components.kubernetes.workspace import Workspace
from gpucluster.components.labels import kubernetes_labels
from gpucluster.components.names import TRAINING_POOL
from gpucluster.components.outputs import Cluster, SharedStorage

__all__ = ["TrainingCluster"]


class TrainingCluster(Cluster):
    """An AKS cluster with one co-located training pool.

    Its facts (labels, budget, exemptions, GPU counts, equivalence) are inputs as well as outputs: plan files show a
    component's inputs only, and policies see its outputs only.
    """

    def __init__(self, name: str, plan: AzureClusterPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        checked = pulumi.ResourceOptions(transformations=[check_object])
        super().__init__(
            "gpucluster:azure:TrainingCluster",
            name,
            plan.facts.registered(),
            pulumi.ResourceOptions.merge(opts, checked),
        )
        here = pulumi.ResourceOptions(parent=self)
        location, settings = plan.location, plan.location.settings
        tags = tagger(plan.labels, stack=plan.stack)
        labels = kubernetes_labels(plan.labels, project=pulumi.get_project(), stack=plan.stack)
        provisioned = plan.elastic is not None and plan.elastic.engine == "karpenter"

        made = resources.ResourceGroup(f"{name}-group", tags=tags(f"{name}-group"), opts=here)
        group = made.name
        fabric = has_infiniband(plan.training.shape.machine_type)
        feature = feature_registered(
            f"cluster {name}", plan.training.shape.machine_type, settings, parent=self, after=[made]
        )
        network = Network(
            f"{name}-network",
            plan.addresses,
            location,
            group=group,
            storage=plan.home is not None or plan.bucket is not None or plan.blobs,
            peer=plan.access.peer,
            tags=tags,
            # All that is dear stands in the network.
            opts=pulumi.ResourceOptions(parent=self, depends_on=feature),
        )
        reserved_in = plan.training.placement.reserved_in
        identity = ClusterIdentity(
            f"{name}-identity",
            subscription=location.subscription,
            group=group,
            roles={
                "network": ("Network Contributor", network.network_id),
                **({"reservation": ("Contributor", reserved_in)} if reserved_in else {}),
            },
            tags=tags,
            opts=here,
        )
        log_workspace = None
        if plan.keep_logs_days:
            log_workspace = LogWorkspace(
                f"{name}-logs", keep_days=plan.keep_logs_days, group=group, tags=tags, opts=here
            )
        control_plane = ControlPlane(
            f"{name}-control-plane",
            cluster_name=plan.cluster_name,
            version=plan.kubernetes_version,
            system_version=plan.versions.system,
            extended=plan.versions.extended,
            group=group,
            subscription=location.subscription,
            access=plan.access,
            addresses=plan.addresses,
            network=network,
            identity=identity,
            system=plan.system,
            provisioning=provisioned,
            million_samples=plan.telemetry.million_samples,
            log_workspace=None if log_workspace is None else log_workspace.workspace_id,
            keep_empty=None if plan.elastic is None or provisioned else plan.elastic.keep_empty,
            blobs=plan.blobs,
            labels=labels,
            tags=tags,
            opts=here,
        )
        monitoring = Monitoring(
            f"{name}-monitoring",
            group=group,
            control_plane=control_plane,
            plan=plan.telemetry,
            tags=tags,
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
                    opts=pulumi.ResourceOptions(parent=self, depends_on=control_plane.open),
                )
            ],
        )
        workspace = Workspace(f"{name}-workspace", labels=labels, pod_security=POD_SECURITY, opts=inside)
        software = GpuSoftware(
            f"{name}-gpu-software",
            owner=plan.driver,
            infiniband=fabric,
            mig=None if plan.mig is None else plan.mig.pool.strategy,
            mig_layout=None if plan.mig is None or plan.mig.config is None else (plan.mig.layout, plan.mig.config),
            labels=labels,
            # An API that `up` can't reach fails here.
            after=[workspace.namespace],
            opts=inside,
        )
        own = None
        if plan.bucket is not None:
            linked = plan.storage.bucket if isinstance(plan.storage, LustrePlan) else None
            own = OwnBucket(
                f"{name}-bucket",
                plan.bucket,
                account_name=plan.bucket_account,
                group=group,
                keys=linked is not None and not linked.account,
                tags=tags,
                opts=here,
            )
        storage = shared_storage(
            f"{name}-storage",
            plan,
            group=group,
            network=network,
            control_plane=control_plane,
            own_bucket=own,
            tags=tags,
            opts=here,
        )
        home = None
        if plan.home is not None:
            home = Home(
                f"{name}-home",
                plan.home,
                account_name=plan.account_name,
                group=group,
                network=network,
                tags=tags,
                opts=here,
            ).volume
        driver: list[pulumi.Resource] = []
        if not plan.blobs:
            driver = LustreDriver(f"{name}-lustre", labels=labels, after=[workspace.namespace], opts=inside).ready
        workspace.mount(dataclasses.replace(storage, after=[*storage.after, *driver]), home)
        for who in plan.people.memberships:
            # To find the cluster and log in to it; what they may do there is Kubernetes' to say.
            granted(
                f"{name}-submitters-{who}",
                "Azure Kubernetes Service Cluster User Role",
                scope=control_plane.cluster.id,
                principal=who,
                subscription=location.subscription,
                kind="Group",
                opts=here,
            )
        spaces = people_spaces(
            name,
            plan.people,
            lambda _, groups: [Submitter(name=group_id) for group_id in groups],
            workspace=workspace,
            labels=labels,
            closed=MACHINE_SERVICES,
            opts=inside,
        )
        if plan.identities:
            JobIdentities(
                f"{name}-identities",
                bucket_identities(
                    f"{name}-job",
                    plan.identities,
                    own,
                    location=location,
                    group=group,
                    control_plane=control_plane,
                    tags=tags,
                    opts=here,
                ),
                workspace=workspace,
                spaces=spaces,
                labels=labels,
                opts=inside,
            )
        nodes = GpuNodes(
            group=group,
            cluster_name=control_plane.cluster_name,
            subnet_id=network.nodes_id,
            version=plan.versions.nodes or plan.kubernetes_version,
            zone=location.number,
            driver=plan.driver,
            labels=labels,
            whole=NO_MIG if plan.mig is not None and plan.driver == "operators" else {},
            tags=tags,
            after=control_plane.ready,
        )
        # GPU nodes are most of the bill: what makes them usable stands before they start.
        before_gpus = software.ready
        if plan.elastic is not None and not provisioned:
            # First: they start without a machine, so that none has to be found.
            NativePools(f"{name}-elastic", plan.elastic, nodes=nodes, after=before_gpus, opts=here)
        TrainingPool(
            f"{name}-training",
            plan.training,
            location=location,
            group=group,
            nodes=nodes,
            # A file system takes long, while GPUs would wait and cost.
            after=[*before_gpus, *storage.after],
            tags=tags,
            gpu_hour_usd=plan.telemetry.watched.gpu_hour_usd,
            opts=here,
        )
        if plan.training.shape.nvme_disks:
            Scratch(
                f"{name}-scratch",
                disks=plan.training.shape.nvme_disks,
                pools=[TRAINING_POOL],
                labels=labels,
                after=[workspace.namespace],
                opts=inside,
            )
        if plan.mig is not None:
            MigPool(f"{name}-mig", plan.mig, nodes=nodes, after=before_gpus, opts=here)
        if plan.elastic is not None and provisioned:
            KarpenterPools(
                f"{name}-elastic",
                KarpenterPoolsArgs(
                    region=location.region,
                    zone=location.number,
                    subnet_id=network.nodes_id,
                    machine_types=[plan.elastic.shape.machine_type],
                    pools=plan.elastic.pools,
                    driver_owner=plan.driver,
                    image_family=OS_SKU,
                    lustre=not plan.blobs,
                    tags=tags(f"{name}-elastic-node"),
                    os_disk_gb=plan.elastic.root_gib,
                ),
                labels=labels,
                after=[control_plane.cluster, *before_gpus, *driver],
                opts=inside,
            )
        if topology := release_of(plan.training.shape).topology:
            # The runtimes mount it from the namespace of their job.
            for suffix, space, its in (
                ("topology", workspace, labels),
                *((f"team-{space.team.name}.topology", space, space.labels) for space in spaces),
            ):
                ConfigMap(
                    f"{name}-{suffix}",
                    metadata=ObjectMetaArgs(name=NAME, namespace=space.namespace.metadata.name, labels=its),
                    data={topology: nd_v5_topology()},
                    opts=inside,
                )
        telemetry = ClusterTelemetry(
            f"{name}-telemetry",
            plan.telemetry,
            cluster_name=plan.cluster_name,
            sink=READ if plan.telemetry.collector else None,
            tolerations=CONTROLLERS,
            registry=None,
            labels=labels,
            after=[control_plane.cluster],
            opts=inside,
        )
        read = [*software.ready, *telemetry.ready]
        if plan.broken_nodes != "leave":
            health = NodeHealth(
                f"{name}-node-health",
                settings_json(plan.broken_nodes, job_pools(plan), CONDITIONS),
                tolerations=CONTROLLERS,
                registry=None,
                labels=labels,
                after=[control_plane.cluster],
                opts=inside,
            )
            read += health.ready
        MetricsCollection(
            f"{name}-metrics",
            plan.telemetry,
            infiniband=fabric,
            labels=labels,
            after=read,
            opts=inside,
        )
        Jobs(
            f"{name}-jobs",
            job_pools(plan),
            workspace=workspace,
            home=home is not None,
            tolerations=CONTROLLERS,
            registry=None,
            labels=labels,
            after=[control_plane.cluster],
            closed=MACHINE_SERVICES,
            spaces=spaces,
            opts=inside,
        )
        images = None
        if plan.registry is not None:
            images = registry(
                f"{name}-registry",
                plan.registry,
                subscription=location.subscription,
                group=group,
                control_plane=control_plane,
                tags=tags,
                parent=self,
            )
        self._give(
            control_plane,
            account=made.id,
            metrics=monitoring.query_endpoint,
            logs=None if log_workspace is None else log_workspace.collect(control_plane),
            pools=job_pools(plan),
            storage=SharedStorage(id=pulumi.Output.from_input(storage.handle), usable_gib=plan.storage.usable_gib),
            registry=images,
            bucket=None if own is None else own.address,
            identities=plan.identities,
            facts=plan.facts,
        )
