"""The types of resources that a cluster on Azure declares, and the resource providers that serve them: for questions
to the account before an engine runs. Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.rights import rights_question
from gpucluster.components.azure.planning.storage import LustrePlan, SharedPlan
from gpucluster.components.cluster.cluster_plan import SharedParts
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.shared.file_systems import HomePlan
from gpucluster.components.spec.access import PrivateAccess
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.storage import OwnRegistry
from gpucluster.core.program.questions import Question

_ALWAYS: Final = (
    "alertsmanagement:PrometheusRuleGroup",
    "authorization:RoleAssignment",
    "containerservice:AgentPool",
    "containerservice:ManagedCluster",
    "managedidentity:UserAssignedIdentity",
    "monitor:AzureMonitorWorkspace",
    "monitor:DataCollectionEndpoint",
    "monitor:DataCollectionRule",
    "monitor:DataCollectionRuleAssociation",
    "resources:ResourceGroup",
)
_REGISTRY: Final = ("containerregistry:CacheRule", "containerregistry:Registry")
_LOGS: Final = ("monitor:DiagnosticSetting", "operationalinsights:Workspace")
_NETWORK: Final = (
    "network:NatGateway",
    "network:NetworkSecurityGroup",
    "network:PublicIPAddress",
    "network:Subnet",
    "network:VirtualNetwork",
)
_BUCKET: Final = ("storage:BlobContainer", "storage:StorageAccount")

# Each subscription registers a provider once. Provider -> the types that it serves; Compute has the machines that AKS
# creates. Providers of roles and groups are registered in every subscription.
# Source: Azure documentation, "Azure resource providers and types" (registration by default).
_PROVIDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "Microsoft.AlertsManagement": ("alertsmanagement:",),
    "Microsoft.Compute": ("compute:", "containerservice:"),
    "Microsoft.ContainerRegistry": ("containerregistry:",),
    "Microsoft.ContainerService": ("containerservice:",),
    "Microsoft.Insights": ("monitor:",),
    "Microsoft.ManagedIdentity": ("managedidentity:",),
    "Microsoft.Monitor": ("monitor:AzureMonitorWorkspace",),
    "Microsoft.Network": ("network:", "containerservice:"),
    "Microsoft.OperationalInsights": ("operationalinsights:",),
    "Microsoft.Storage": ("storage:",),
    "Microsoft.StorageCache": ("storagecache:",),
}


def declared_types(
    spec: ClusterSpec, parts: SharedParts, location: Location, *, storage: SharedPlan, home: HomePlan | None
) -> tuple[str, ...]:
    """Types of the provider, in its spelling. spec: of the cluster, with its parts as planned."""
    lustre = isinstance(storage, LustrePlan)
    receivers, access = parts.telemetry.receivers, spec.access
    wanted: Sequence[tuple[bool, tuple[str, ...]]] = (
        (True, _ALWAYS),
        (isinstance(spec.registry, OwnRegistry), _REGISTRY),
        (bool(parts.keep_logs_days), _LOGS),
        (receivers is not None and bool(receivers.mail or receivers.webhook), ("monitor:ActionGroup",)),
        (location.settings.proximity_group, ("compute:ProximityPlacementGroup",)),
        (spec.network.existing is None, _NETWORK),
        (isinstance(access, PrivateAccess) and access.peer is not None, ("network:VirtualNetworkPeering",)),
        (home is not None, ("storage:FileShare", "storage:StorageAccount")),
        (parts.bucket is not None or isinstance(storage, BucketPlan), _BUCKET),
        # The log of a linked container.
        (lustre and storage.bucket is not None, ("storage:BlobContainer",)),
        (lustre and storage.write_back, ("storagecache:AutoExportJob",)),
        (lustre, ("storagecache:AmlFilesystem",)),
        (bool(parts.identities), ("managedidentity:FederatedIdentityCredential",)),
    )
    return tuple(sorted({f"azure-native:{name}" for needed, names in wanted if needed for name in names}))


def ask_about(types: Sequence[str], planning: Planning[Location], note: str) -> None:
    """Questions to the subscription. note: for providers that are not registered, with their names as {services}."""
    subscription, bare = planning.location.subscription, [name.partition(":")[2] for name in types]
    planning.ask(
        Question(about="subscription", subject=subscription, needed="Enabled", title="subscription"),
        *(
            Question(
                about="provider",
                subject=provider,
                needed="Registered",
                note=note.format(services=", ".join(_PROVIDERS)),
                decides=any(name.startswith(served) for name in bare),
            )
            for provider, served in _PROVIDERS.items()
        ),
        rights_question("create the cluster", f"/subscriptions/{subscription}", types=tuple(types)),
    )
