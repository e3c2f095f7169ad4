"""Karpenter's GCENodeClass, `karpenter.k8s.gcp/v1alpha1`, with the rules its API applies.

Source: cloudpilot-ai/karpenter-provider-gcp v0.5.0, pkg/apis/v1alpha1/gcenodeclass.go.
"""

import re
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from gpucluster.components.kubernetes.objects import Later, Part, Spec, Text

__all__ = ["GCENodeClass"]

_RESTRICTED_LABELS: Final = frozenset(
    {"gce:gce-cluster-name", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim", "karpenter.k8s.gcp/gcenodeclass"}
)
# Set by GKE when a node boots.
_RESERVED_METADATA: Final = frozenset(
    """
    cluster-location cluster-name cluster-uid common-psm1 configure-sh containerd-configure-sh disable-address-manager
    enable-os-login gci-ensure-gke-docker gci-metrics-enabled gci-update-strategy install-ssh-psm1 instance-template
    k8s-node-setup-psm1 kube-env kube-labels kubeconfig kubelet-config startup-script user-data user-profile-psm1
    windows-startup-script-ps1
    """.split()  # noqa: SIM905 - a long list of words reads better as text
)
_COS_VERSION: Final = re.compile(r"latest|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
_UBUNTU_VERSION: Final = re.compile(r"latest|v[0-9]{8}")
_BALANCED: Final = ("hyperdisk-balanced", "hyperdisk-balanced-high-availability")
_WITH_IOPS: Final = ("pd-extreme", *_BALANCED, "hyperdisk-extreme")
_WITH_THROUGHPUT: Final = (*_BALANCED, "hyperdisk-throughput", "hyperdisk-ml")

_Account = Annotated[
    str, Field(pattern=r"^[^@]+@(developer\.gserviceaccount\.com|[^@]+\.iam\.gserviceaccount\.com)$"), Later
]
_ACCOUNT: Final = "the e-mail address of a service account"
_Name = Annotated[str, Field(pattern=r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$"), Later]
_NAME: Final = "1 to 63 lower-case letters, digits and hyphens, a letter first"


class Disk(Part):
    """Local SSDs are not made by it, whatever their category says (karpenter-provider-gcp #385)."""

    sizeGiB: int = Field(ge=10, description="10 GiB or more", examples=[200])
    category: (
        Literal[
            "hyperdisk-balanced",
            "hyperdisk-balanced-high-availability",
            "hyperdisk-extreme",
            "hyperdisk-ml",
            "hyperdisk-throughput",
            "pd-balanced",
            "pd-extreme",
            "pd-ssd",
            "pd-standard",
        ]
        | None
    ) = None
    boot: bool = Field(default=False, description="true or false")
    secondaryBootImage: Text | None = None
    secondaryBootMode: Literal["MODE_UNSPECIFIED", "CONTAINER_IMAGE_CACHE"] | None = None
    kmsKeyName: (
        Annotated[
            str,
            Field(
                pattern=r"^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+(/cryptoKeyVersions/[^/]+)?$"
            ),
            Later,
        ]
        | None
    ) = Field(default=None, description="projects/P/locations/L/keyRings/R/cryptoKeys/K")
    kmsKeyServiceAccount: _Account | None = Field(default=None, description=_ACCOUNT)
    provisionedIOPS: int | None = Field(default=None, ge=1, description="1 or more", examples=[3000])
    provisionedThroughput: int | None = Field(default=None, ge=1, description="1 MiB/s or more", examples=[140])

    @model_validator(mode="after")
    def speed_fits_the_category(self) -> Self:
        problems: list[str] = []
        for field, categories in (("provisionedIOPS", _WITH_IOPS), ("provisionedThroughput", _WITH_THROUGHPUT)):
            if getattr(self, field) is not None and self.category not in categories:
                problems.append(
                    f"has {field} with category {self.category!r}; allowed with {field}: {', '.join(categories)}; "
                    "remove one"
                )
        if self.category in _BALANCED and (self.provisionedIOPS is None) != (self.provisionedThroughput is None):
            problems.append(
                f"has one of provisionedIOPS and provisionedThroughput; allowed with {self.category}: both or neither; "
                "add or remove one"
            )
        if problems:
            raise ValueError("\n".join(problems))
        return self


class ImageTerm(Part):
    """An image by its id, or by a family with a release channel (of the cluster, with `cluster`) or a version."""

    id: Annotated[str, Field(min_length=1, max_length=160), Later] | None = Field(
        default=None, description="the full URL of an image, up to 160 characters"
    )
    family: Literal["ContainerOptimizedOS", "Ubuntu2404", "Ubuntu2204"] | None = None
    channel: Literal["rapid", "regular", "stable", "extended", "cluster"] | None = None
    version: str | None = Field(
        default=None,
        max_length=32,
        description="latest, a build of Container-Optimized OS or a day of Ubuntu",
        examples=["125.19216.104.126"],
    )

    @model_validator(mode="after")
    def says_what_to_find_once(self) -> Self:
        problems: list[str] = []
        if (self.id is None) == (self.family is None):
            has = "neither id nor family" if self.id is None else "id and family"
            problems.append(f"has {has}; allowed: exactly one of them; {'add' if self.id is None else 'remove'} one")
        if self.family is not None and (self.channel is None) == (self.version is None):
            has = "neither channel nor version" if self.channel is None else "channel and version"
            change = "add" if self.channel is None else "remove"
            problems.append(f"has {has}; allowed with family: exactly one of them; {change} one")
        if self.family is None and (self.channel is not None or self.version is not None):
            problems.append("has channel or version without family; allowed: with family only; add family")
        if self.channel is not None and self.family not in (None, "ContainerOptimizedOS"):
            problems.append(
                f"has channel with family {self.family!r}; allowed: with ContainerOptimizedOS only; use version"
            )
        problems += _version_problems(self.family, self.version)
        if problems:
            raise ValueError("\n".join(problems))
        return self


def _version_problems(family: str | None, version: str | None) -> list[str]:
    if family is None or version is None:
        return []
    cos = family == "ContainerOptimizedOS"
    if (_COS_VERSION if cos else _UBUNTU_VERSION).fullmatch(version):
        return []
    allowed = "latest or four numbers, as in 125.19216.104.126" if cos else "latest or a day, as in v20260416"
    return [f"has version {version!r}; allowed for {family}: {allowed}; change it"]


class Interface(Part):
    network: Text | None = None
    subnetwork: Text


class NetworkConfig(Part):
    """additionalNetworkInterfaces: fewer than A3 Mega (8) and A3 Ultra (9) have, and GKE shows them to no pod."""

    enablePrivateNodes: bool | None = Field(default=None, description="true or false")
    subnetwork: Text | None = None
    additionalNetworkInterfaces: list[Interface] = Field(
        default=[], max_length=7, description="up to 7 interfaces", examples=[[]]
    )


class ShieldedInstanceConfig(Part):
    enableSecureBoot: bool | None = Field(default=None, description="true or false")
    enableVtpm: bool | None = Field(default=None, description="true or false")
    enableIntegrityMonitoring: bool | None = Field(default=None, description="true or false")


class GCENodeClass(Spec):
    """What the machines of a pool are made of."""

    api_version: ClassVar[str] = "karpenter.k8s.gcp/v1alpha1"
    kind: ClassVar[str] = "GCENodeClass"

    serviceAccount: _Account | None = Field(default=None, description=_ACCOUNT)
    disks: list[Disk] = Field(default=[], max_length=10, description="up to 10 disks")
    imageSelectorTerms: list[ImageTerm] = Field(min_length=1, max_length=30, description="1 to 30 terms")
    imageFamily: Literal["Ubuntu", "ContainerOptimizedOS"] | None = None
    subnetRangeName: _Name | None = Field(default=None, description=_NAME)
    kubeletConfiguration: dict[str, Any] | None = None
    labels: dict[str, Annotated[str, Later]] = Field(default={}, max_length=20, description="up to 20 labels of the VM")
    metadata: dict[str, Annotated[str, Later]] = Field(default={}, description="keys and values of text")
    networkTags: list[_Name] = Field(default=[], max_length=20, description=f"up to 20 tags, each {_NAME}")
    shieldedInstanceConfig: ShieldedInstanceConfig | None = None
    confidentialInstanceType: Literal["SEV", "SEV_SNP", "TDX"] | None = None
    networkConfig: NetworkConfig | None = None
    autoGPUTaint: bool | None = Field(default=None, description="true or false")
    gpuDriverVersion: Literal["default", "latest", "disabled"] | None = None

    @field_validator("labels")
    @classmethod
    def labels_are_not_karpenters(cls, value: dict[str, str]) -> dict[str, str]:
        wrong = sorted(
            key for key in value if not key or key in _RESTRICTED_LABELS or key.startswith("kubernetes.io/cluster")
        )
        if wrong:
            raise ValueError(f"has {', '.join(map(repr, wrong))}; allowed: keys Karpenter does not set; remove them")
        return value

    @field_validator("metadata")
    @classmethod
    def metadata_are_not_gkes(cls, value: dict[str, str]) -> dict[str, str]:
        wrong = sorted(set(value) & _RESERVED_METADATA)
        if wrong:
            raise ValueError(f"has {', '.join(map(repr, wrong))}; allowed: keys GKE does not set; remove them")
        return value

    @model_validator(mode="after")
    def channel_and_latest_do_not_mix(self) -> Self:
        terms = self.imageSelectorTerms
        latest = any(term.family == "ContainerOptimizedOS" and term.version == "latest" for term in terms)
        if latest and any(term.channel is not None for term in terms):
            raise ValueError(
                "has imageSelectorTerms by channel and of version latest; allowed: one of them; remove one"
            )
        return self
