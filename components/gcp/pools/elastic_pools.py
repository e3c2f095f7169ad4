"""Elastic pools with Karpenter, experimental: single-node GPU machines, started for a job and removed after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
from pulumi_gcp import projects, serviceaccount

from gpucluster.components.gcp.planning.pools import karpenter_problems
from gpucluster.components.kubernetes.karpenter import node_pool
from gpucluster.components.kubernetes.objects.charts import KARPENTER_GCP, KARPENTER_GCP_CRD
from gpucluster.components.kubernetes.objects.objects import Declared, Kind, manifest_of
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.planning.names import ELASTIC, SYSTEM_NAMESPACE
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.shared.elastic import PoolPlan
from gpucluster.core.catalog.labels import google_value

# Source: cloudpilot-ai/karpenter-provider-gcp v0.5.0, pkg/apis/v1alpha1/gcenodeclass.go.
_NODE_CLASS: Final = Kind("karpenter.k8s.gcp/v1alpha1", "GCENodeClass")
_SERVICE_ACCOUNT = "karpenter"
# A pool is deleted after its last machine, which may take longer than Pulumi's default wait of ten minutes.
_DRAIN = pulumi.CustomTimeouts(delete="30m")


@dataclass(frozen=True, kw_only=True)
class KarpenterPoolsArgs:
    """cluster_location: region or zone of the cluster. subnetwork: projects/P/regions/R/subnetworks/S of the nodes.

    account_id: of Karpenter's own service account, 6 to 30 characters. node_account: e-mail address of the nodes' one.
    template_pool: node pool whose start-up data the machines use: the system pool.
    boot_gib: boot disk, GiB. registry: mirror of the
    controller's image, None to pull it from its publisher.
    """

    project: str
    region: str
    zone: str
    cluster_name: pulumi.Input[str]
    cluster_location: str
    subnetwork: pulumi.Input[str]
    account_id: str
    node_account: pulumi.Input[str]
    template_pool: pulumi.Input[str]
    machine_type: str
    pools: Sequence[PoolPlan]
    boot_gib: int = 200
    registry: str | None = None


class KarpenterPools(pulumi.ComponentResource):
    """One Karpenter release, one node class, a node pool for each of the plan's; each part waits for the previous one.

    Deleted in reverse order, before the system nodes: a controller deleted first would leave its machines running.
    """

    def __init__(
        self,
        name: str,
        args: KarpenterPoolsArgs,
        *,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the nodes the controller runs on (at least two: its pods never share one). Raises PlanError for pools
        that Karpenter can't run here.
        """
        super().__init__("gpucluster:gcp:ElasticPools", name, {}, opts)
        problems = [
            problem
            for pool in args.pools
            for problem in karpenter_problems(args.machine_type, pool=pool.name, purchase=pool.purchase)
        ]
        if problems:
            raise PlanError(problems)
        here = pulumi.ResourceOptions(parent=self)
        email, grants = karpenter_identity(
            f"{name}-karpenter-account",
            project=args.project,
            account_id=args.account_id,
            namespace=SYSTEM_NAMESPACE,
            service_account=_SERVICE_ACCOUNT,
            node_account=args.node_account,
            after=after,
            opts=here,
        )
        definitions = release(
            f"{name}-karpenter-crd",
            KARPENTER_GCP_CRD,
            namespace=SYSTEM_NAMESPACE,
            values={},
            after=[*after, *grants],
            opts=here,
        )
        controller = release(
            f"{name}-karpenter",
            KARPENTER_GCP,
            release_name="karpenter",
            namespace=SYSTEM_NAMESPACE,
            skip_crds=True,
            values=_values(args, email),
            registry=args.registry,
            after=[definitions],
            opts=here,
        )
        nodes = Declared(
            f"{name}-class",
            manifest_of(_NODE_CLASS, _node_class(name, args), object_name=ELASTIC),
            pulumi.ResourceOptions(parent=self, depends_on=[controller], custom_timeouts=_DRAIN),
        )
        for pool in args.pools:
            node_pool(
                f"{name}-{pool.name}-pool",
                pool,
                node_class=("karpenter.k8s.gcp", _NODE_CLASS.name, ELASTIC),
                machine_types=[args.machine_type],
                zone=args.zone,
                opts=pulumi.ResourceOptions(parent=self, depends_on=[nodes], custom_timeouts=_DRAIN),
            )
        self.register_outputs({"maxGpus": {pool.name: pool.max_gpus for pool in args.pools}})


def _values(args: KarpenterPoolsArgs, email: pulumi.Input[str]) -> dict[str, Any]:
    """Values of the controller's chart. email: of Karpenter's account."""
    return {
        "controller": {
            "settings": {
                "projectID": args.project,
                "clusterLocation": args.region,
                **({} if args.cluster_location == args.region else {"nodeLocation": args.cluster_location}),
                "clusterName": args.cluster_name,
                "defaultNodePoolTemplateName": args.template_pool,
                "defaultNodepoolServiceAccount": args.node_account,
            }
        },
        # No key in a secret: workload identity provides the account.
        "credentials": {"enabled": False},
        "serviceAccount": {
            "name": _SERVICE_ACCOUNT,
            "annotations": {"iam.gke.io/gcp-service-account": email},
        },
    }


def _node_class(name: str, args: KarpenterPoolsArgs) -> dict[str, object]:
    """Private machines with GKE's own image and driver. The pool has the GPU taint, so the class adds none."""
    return {
        "serviceAccount": args.node_account,
        "imageSelectorTerms": [{"family": "ContainerOptimizedOS", "channel": "cluster"}],
        "disks": [{"category": "pd-balanced", "sizeGiB": args.boot_gib, "boot": True}],
        "networkConfig": {"enablePrivateNodes": True, "subnetwork": args.subnetwork},
        "gpuDriverVersion": "default",
        "labels": {"name": google_value(f"{name}-node")},
    }


# Source: cloudpilot-ai/karpenter-provider-gcp v0.5.0, deploy/iam/karpenter-controller-role.yaml. Not included, because
# nodes have no public addresses: compute.subnetworks.useExternalIp. Not included, because it changes any cluster of the
# project: container.clusters.update. Karpenter uses it if the system pool is not RUNNING, to create a node pool
# `karpenter-fallback` that no destroy would find; if refused, it checks again until the pool is RUNNING
# (pkg/controllers/nodepooltemplate/controller.go, pkg/providers/nodepooltemplate/nodepooltemplate.go).
PERMISSIONS: Final = (
    "compute.disks.create",
    "compute.images.get",
    "compute.images.list",
    "compute.instanceGroupManagers.get",
    "compute.instanceTemplates.get",
    "compute.instanceTemplates.list",
    "compute.instances.get",
    "compute.instances.list",
    "compute.machineTypes.list",
    "compute.networks.get",
    "compute.projects.get",
    "compute.regions.get",
    "compute.subnetworks.get",
    "compute.subnetworks.use",
    "compute.zoneOperations.get",
    "compute.zones.list",
    "container.clusters.get",
    "container.clusters.list",
)
MACHINE_PERMISSIONS: Final = (
    "compute.instances.create",
    "compute.instances.delete",
    "compute.instances.setLabels",
    "compute.instances.setMetadata",
    "compute.instances.setServiceAccount",
    "compute.instances.setTags",
)
"""Permissions to change machines that Karpenter started: never GKE's nodes or other resources of the project."""

# Prefix of its machines' names. Source: the same release, pkg/providers/instance/instance.go.
_OWN: Final = 'resource.name.extract("/instances/{name}").startsWith("karpenter-")'


def karpenter_identity(
    name: str,
    *,
    project: str,
    account_id: str,
    namespace: str,
    service_account: str,
    node_account: pulumi.Input[str],
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> tuple[pulumi.Output[str], list[pulumi.Resource]]:
    """The e-mail address of the account a Kubernetes service account acts as, and its grants, on which others depend.

    account_id: 6 to 30 characters, unique in the project; also names the role. node_account: e-mail address of the
    account of the machines, which Karpenter must be allowed to assign to them. after: the APIs and the cluster, with
    workload identity: the project's first cluster creates the pool of identities that the last grant names.
    """
    opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after)))
    account = serviceaccount.Account(name, account_id=account_id, project=project, display_name="Karpenter", opts=opts)
    machines = projects.IAMCustomRole(
        f"{name}-machines-role",
        project=project,
        role_id=f"{account_id}-machines".replace("-", "_"),
        title=f"Karpenter {account_id}: its machines",
        permissions=list(MACHINE_PERMISSIONS),
        opts=opts,
    )
    machine_grant = projects.IAMMember(
        f"{name}-machines",
        project=project,
        role=machines.name,
        member=account.member,
        condition=projects.IAMMemberConditionArgs(title="machines-of-karpenter", expression=_OWN),
        opts=opts,
    )
    role = projects.IAMCustomRole(
        f"{name}-role",
        project=project,
        role_id=account_id.replace("-", "_"),
        title=f"Karpenter {account_id}",
        permissions=list(PERMISSIONS),
        # An existing role loses the machine permissions only after they are granted separately.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[machine_grant])),
    )
    grants: list[pulumi.Resource] = [
        machine_grant,
        projects.IAMMember(f"{name}-grant", project=project, role=role.name, member=account.member, opts=opts),
        serviceaccount.IAMMember(
            f"{name}-nodes",
            service_account_id=pulumi.Output.format("projects/{0}/serviceAccounts/{1}", project, node_account),
            role="roles/iam.serviceAccountUser",
            member=account.member,
            opts=opts,
        ),
        serviceaccount.IAMMember(
            f"{name}-workload",
            service_account_id=account.name,
            role="roles/iam.workloadIdentityUser",
            member=f"serviceAccount:{project}.svc.id.goog[{namespace}/{service_account}]",
            opts=opts,
        ),
    ]
    return account.email, grants
