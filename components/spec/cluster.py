"""The spec of a cluster, in the same terms on every cloud, and of parts that are declared separately. Imports no
Pulumi.

`file` reads it from YAML and reports every mistake on its own line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from gpucluster.components.planning.labels import LABEL_VALUE, REQUIRED_LABELS, RESERVED_LABELS
from gpucluster.components.planning.names import TRAINING_POOL
from gpucluster.components.planning.problem import BadSpecValue, Problem
from gpucluster.components.spec.access import Access, Team, TeamName
from gpucluster.components.spec.commitments import Budget, Promises, Terms
from gpucluster.components.spec.cross_field_checks import CLUSTER_CHECKS, POOL_CHECKS, pool_gpus, slurm_pools
from gpucluster.components.spec.existing import ClusterNetwork
from gpucluster.components.spec.model import (
    LASTS,
    LENGTHS,
    NAME,
    Accelerator,
    Duration,
    Hours,
    Model,
    Name,
    model_schema,
)
from gpucluster.components.spec.operations import Exemption, Fleet, Health, JobKinds, Telemetry
from gpucluster.components.spec.pools import (
    Elastic,
    GroupPlacement,
    Mig,
    OnDemandPurchase,
    Placement,
    Purchase,
    Training,
)
from gpucluster.components.spec.racks import TrainedModel
from gpucluster.components.spec.storage import OWN, Identity, IdentityName, OwnRegistry, Registry, Storage
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.text.values import shown_value

_MINOR: Final = r"^[1-9]\d*\.(0|[1-9]\d*)$"
# A minor version, a patch version, a release of EKS' images, or a version of GKE's.
_NODES: Final = r"^[1-9]\d*\.\d+(\.\d+(-\d{8}|-gke\.\d+)?)?$"

DEFAULT: Final = "default"
"""Of an add-on: the build that EKS chooses."""

Support = Literal["standard", "extended"]


def _minor(value: str) -> str:
    if not re.fullmatch(_MINOR, value):
        raise ValueError("is not a minor version of Kubernetes; write one in quotes, such as '1.35'")
    return value


def _nodes(value: str) -> str:
    if not re.fullmatch(_NODES, value):
        raise ValueError(
            "is not a version of nodes; write one in quotes, such as '1.35', 1.35.2-20260714 or 1.35.2-gke.1"
        )
    return value


_Minor = Annotated[str, AfterValidator(_minor), WithJsonSchema({"type": "string", "pattern": _MINOR})]
_Nodes = Annotated[str, AfterValidator(_nodes), WithJsonSchema({"type": "string", "pattern": _NODES})]


class Versions(Model):
    """Versions of the cluster's parts; default: those of this release of gpucluster."""

    kubernetes: _Minor | None = Field(
        default=None,
        description="Minor version of the control plane; upgrade one minor version at a time",
        examples=["1.35"],
    )
    system: _Nodes | None = Field(
        default=None,
        description="Version of the CPU nodes, written as for `nodes`; default: the version they were created with. "
        "Not on Azure, where a command of `gpucluster upgrade --plan` changes it",
        examples=["1.35"],
    )
    nodes: _Nodes | None = Field(
        default=None,
        description="Version of all training and MIG nodes: a minor version or, which pins kernel and driver, the "
        "release of the image on AWS (1.35.2-20260714) or the version on Google Cloud (1.35.2-gke.1842000); default: "
        "the version they were created with, on Azure that of the control plane",
        examples=["1.35"],
    )
    image: str | None = Field(
        default=None,
        description="Id of a node pool snapshot on Azure: the training nodes keep its image, with kernel and Lustre "
        "client; `nodes` is its version of Kubernetes. `gpucluster upgrade --plan` prints how to take one",
        examples=[
            "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/images/providers"
            "/Microsoft.ContainerService/snapshots/trial-1-36"
        ],
    )
    charts: str | None = Field(
        default=None,
        description="Set of charts; a release of gpucluster with another set is refused",
        examples=["2026-11.2"],
    )
    fabric: str | None = Field(
        default=None,
        description="Release of the training nodes' GPU fabric on Google Cloud, by the version of its plugin; "
        "default: the first of those in `gpucluster/core/catalog/fabric_releases.csv`",
        examples=["v1.0.16"],
    )
    addons: dict[str, str] = Field(
        default_factory=dict,
        description="Builds of EKS add-ons by name; `default`: the build that EKS chooses when it creates the add-on; "
        "left out: the one of this release of gpucluster, or the choice of EKS",
        examples=[{"coredns": "v1.13.2-eksbuild.31"}],
    )
    support: Support = Field(
        default="standard",
        description="extended: the cloud's long-term support, at its price (EKS extended support, GKE's Extended "
        "channel, AKS' Premium tier)",
    )


_LABEL_RULE = "1 to 63 lower-case letters, digits, - and _, starting and ending with a letter or digit"


def _terms_of_clouds(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    agreed = cast(Mapping[Any, Any], value)
    unknown = [str(name) for name in agreed if name not in clouds()]
    if unknown:
        raise BadSpecValue([Problem(name, "is no cloud", f"allowed: {', '.join(clouds())}") for name in unknown])
    return agreed


def _portable_labels(value: Any, required: Sequence[str] = ()) -> Any:
    if not isinstance(value, Mapping):
        return value
    labels = cast(Mapping[Any, Any], value)
    missing = [key for key in required if key not in labels]
    problems = [Problem("", f"lacks {', '.join(missing)}", f"required: {', '.join(required)}")] if missing else []
    for key, text in labels.items():
        if key in RESERVED_LABELS:
            seen = f"must not contain {key}, which every resource gets automatically"
            problems.append(Problem("", seen, "remove it"))
        elif not re.fullmatch(LABEL_VALUE, str(key)):
            seen = f"must not contain {shown_value(key)}, which not every cloud allows"
            problems.append(Problem("", seen, f"write {_LABEL_RULE}"))
        elif not isinstance(text, str) or not re.fullmatch(LABEL_VALUE, text):
            problems.append(Problem(str(key), "", f"write {_LABEL_RULE}"))
    if problems:
        raise BadSpecValue(problems)
    return labels


def _stack_labels(value: Any) -> Any:
    return _portable_labels(value, REQUIRED_LABELS)


Labels = Annotated[dict[str, str], BeforeValidator(_portable_labels)]


class ClusterSpec(TrainedModel):
    """One training cluster. The same spec gives equivalent clusters on every cloud.

    The descriptions of the fields have their units. Raises InvalidSpec for values that can't be used.
    """

    checks = CLUSTER_CHECKS

    name: Name
    accelerator: Accelerator = "h100"
    training: Training
    purchase: Purchase = OnDemandPurchase(kind="on-demand")
    placement: Placement = GroupPlacement(kind="group")
    elastic: Elastic | None = None
    mig: Mig | None = None
    storage: Storage
    labels: Labels = Field(default_factory=dict, description="On every resource")
    budget: Budget | None = None
    terms: Annotated[dict[str, Terms], BeforeValidator(_terms_of_clouds)] = Field(
        default_factory=dict,
        description="Cloud -> terms of its account: support plan, discount",
        examples=[{next(iter(clouds())): {"support": "business", "discount": "8%"}}],
        json_schema_extra={"propertyNames": {"enum": [*clouds()]}},
    )
    duration: Duration = None
    access: Access
    network: ClusterNetwork = Field(
        default_factory=ClusterNetwork, description="Your address ranges, or your existing network"
    )
    secrets_key: str | None = Field(
        default=None,
        min_length=1,
        description="Existing key that Kubernetes secrets are encrypted with (AWS: ARN of the KMS key; Google Cloud: "
        "projects/P/locations/REGION/keyRings/R/cryptoKeys/K); default: the cluster makes its own",
        examples=["arn:aws:kms:us-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"],
    )
    registry: Registry = OwnRegistry(kind="own")
    health: Health = Field(default_factory=Health, description="Handling of broken GPU nodes")
    jobs: JobKinds = Field(default_factory=JobKinds, description="Who gives GPUs to jobs, and to which kinds")
    fleet: Fleet | None = Field(default=None, description="One queue over several clusters; default: none")
    teams: dict[TeamName, Team] = Field(
        default_factory=dict,
        description="Name of a team -> its members and quotas; default: everyone works in the namespace training",
        examples=[{"vision": {"groups": ["arn:aws:iam::123456789012:role/vision"], "gpus": {TRAINING_POOL: 16}}}],
        json_schema_extra={"propertyNames": {"pattern": NAME}},
    )
    identities: dict[IdentityName, Identity] = Field(
        default_factory=dict,
        description="Name of a Kubernetes service account -> bucket access of the jobs that run as it",
        examples=[{"data": {"writes": [OWN]}}],
    )
    telemetry: Telemetry = Field(default_factory=Telemetry, description="Optional alerts, logs and metrics")
    versions: Versions = Field(default_factory=Versions, description="Versions of Kubernetes, nodes and charts")
    promises: Promises | None = Field(
        default=None, description="Figures that acceptance requires of the running cluster"
    )
    exemptions: tuple[Exemption, ...] = Field(default=(), description="Accepted findings, each until a date")

    @property
    def pool_gpus(self) -> dict[str, int]:
        """Pool -> GPUs of it that jobs can use, an elastic one at its largest."""
        return pool_gpus(self.training, self.elastic, self.mig)

    @property
    def slurm_pools(self) -> tuple[str, ...]:
        """The pools whose GPUs Slurm gives to jobs; Kueue has the others."""
        return slurm_pools(self.jobs, self.pool_gpus)


class StackSpec(ClusterSpec):
    """The spec of a stack, with the required fields budget, duration and owner labels."""

    labels: Annotated[dict[str, str], BeforeValidator(_stack_labels)] = Field(
        description=f"On every resource; always {', '.join(REQUIRED_LABELS)}",
        json_schema_extra={
            "required": list(REQUIRED_LABELS),
            "propertyNames": {"pattern": LABEL_VALUE},
            "additionalProperties": {"type": "string", "pattern": LABEL_VALUE},
        },
    )
    # No default, and narrower than above: a spec is never written to.
    budget: Budget  # pyright: ignore[reportIncompatibleVariableOverride, reportGeneralTypeIssues]
    duration: Hours = Field(description=LASTS, examples=LENGTHS)  # pyright: ignore[reportIncompatibleVariableOverride]


class PoolSpec(TrainedModel):
    """A training pool in an existing cluster."""

    checks = POOL_CHECKS

    name: Name
    accelerator: Accelerator = "h100"
    training: Training
    purchase: Purchase = OnDemandPurchase(kind="on-demand")
    placement: Placement = GroupPlacement(kind="group")
    labels: Labels = Field(default_factory=dict, description="On every resource")
    duration: Duration = None


class NetworkSpec(Model):
    """Only a network. private_services: the cloud's own services, such as its file systems, appear inside."""

    name: Name
    nat: bool = Field(default=True, description="Internet access")
    private_services: bool = Field(default=False, description="Private endpoints of the cloud's services")
    labels: Labels = Field(default_factory=dict, description="On every resource")


TrainingSpec = ClusterSpec | PoolSpec
"""The specs that contain a training pool."""


def spec_schema() -> str:
    """JSON Schema (draft 2020-12) of a spec, as text. Kept in stacks/specs/schema.json, which every spec names."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Cluster spec"}
    schema = {
        **head,
        **model_schema(StackSpec),
        "description": "One training cluster. The same spec gives equivalent clusters on every cloud.",
    }
    return json.dumps(schema, indent=2) + "\n"
