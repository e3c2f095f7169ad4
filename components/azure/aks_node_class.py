"""Karpenter's AKSNodeClass, `karpenter.azure.com/v1beta1`, with the rules its API applies.

Source: Azure/karpenter-provider-azure v1.14.2, pkg/apis/v1beta1/aksnodeclass.go. AKS documentation prints the modes of
`gpu` in lower case; the definition takes them as here.
"""

import re
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from gpucluster.components.kubernetes.objects import Later, Part, Spec

__all__ = ["AKSNodeClass"]

_SUBNET: Final = re.compile(
    r"/subscriptions/[^/]+/resourceGroups/[a-zA-Z0-9_\-().]{0,89}[a-zA-Z0-9_\-()]"
    r"/providers/Microsoft\.Network/virtualNetworks/[^/]+/subnets/[^/]+",
    re.IGNORECASE,
)
_SIZE: Final = r"^\d+(E|P|T|G|M|K|Ei|Pi|Ti|Gi|Mi|Ki)$"
_FORBIDDEN: Final = frozenset("<>%&?\\")


class Kubelet(Part):
    """allowedUnsafeSysctls, podPidsLimit, cpuCFSQuotaPeriod: as the kubelet takes them."""

    cpuManagerPolicy: Literal["none", "static"] | None = None
    cpuCFSQuota: bool | None = Field(default=None, description="true or false")
    cpuCFSQuotaPeriod: str | None = Field(default=None, description="a duration", examples=["100ms"])
    imageGCHighThresholdPercent: int | None = Field(default=None, ge=0, le=100, description="0 to 100 %", examples=[85])
    imageGCLowThresholdPercent: int | None = Field(default=None, ge=0, le=100, description="0 to 100 %", examples=[80])
    topologyManagerPolicy: Literal["restricted", "best-effort", "none", "single-numa-node"] | None = None
    allowedUnsafeSysctls: list[str] = Field(default=[], description="a list of texts")
    containerLogMaxSize: str | None = Field(default=None, pattern=_SIZE, description="an amount", examples=["50Mi"])
    containerLogMaxFiles: int | None = Field(default=None, ge=2, description="2 or more", examples=[5])
    podPidsLimit: int | None = Field(default=None, description="a number, -1 for no limit", examples=[-1])
    failSwapOn: bool | None = Field(default=None, description="true or false")

    @model_validator(mode="after")
    def collection_ends_below_its_start(self) -> Self:
        high, low = self.imageGCHighThresholdPercent, self.imageGCLowThresholdPercent
        if high is not None and low is not None and high <= low:
            raise ValueError(
                f"has imageGCHighThresholdPercent {high} and imageGCLowThresholdPercent {low}; allowed: the first "
                "above the second; change one"
            )
        return self


class Security(Part):
    encryptionAtHost: bool | None = Field(default=None, description="true or false")


class Gpu(Part):
    """Driver: AKS installs one. None: whoever runs the GPU Operator does."""

    mode: Literal["Driver", "None"]


class ArtifactStreaming(Part):
    enabled: bool | None = Field(default=None, description="true or false")


class LinuxOSConfig(Part):
    swapFileSize: str | None = Field(default=None, pattern=_SIZE, description="an amount", examples=["2Gi"])
    sysctls: dict[str, Any] | None = None
    transparentHugePageDefrag: Literal["always", "defer", "defer+madvise", "madvise", "never"] | None = None
    transparentHugePageEnabled: Literal["always", "madvise", "never"] | None = None


class AKSNodeClass(Spec):
    """What the machines of a pool are made of."""

    api_version: ClassVar[str] = "karpenter.azure.com/v1beta1"
    kind: ClassVar[str] = "AKSNodeClass"

    vnetSubnetID: Annotated[str, Later] | None = Field(default=None, description="the id of a subnet")
    osDiskSizeGB: int | None = Field(default=None, ge=30, le=2048, description="30 to 2048 GB", examples=[200])
    imageFamily: Literal["Ubuntu", "Ubuntu2204", "Ubuntu2404", "AzureLinux"] | None = None
    fipsMode: Literal["FIPS", "Disabled"] | None = None
    tags: dict[str, Annotated[str, Later]] = Field(default={}, description="keys and values of text")
    kubelet: Kubelet | None = None
    maxPods: int | None = Field(default=None, ge=10, le=250, description="10 to 250", examples=[110])
    security: Security | None = None
    localDNS: dict[str, Any] | None = None
    gpu: Gpu | None = None
    artifactStreaming: ArtifactStreaming | None = None
    linuxOSConfig: LinuxOSConfig | None = None

    @field_validator("vnetSubnetID")
    @classmethod
    def subnet_is_an_id(cls, value: Any) -> Any:
        if isinstance(value, str) and not _SUBNET.fullmatch(value):
            raise ValueError(
                f"is {value!r}; allowed: /subscriptions/S/resourceGroups/G/providers/Microsoft.Network/"
                "virtualNetworks/V/subnets/N; write the subnet's id"
            )
        return value

    @field_validator("tags")
    @classmethod
    def tags_fit_azure(cls, value: dict[str, Any]) -> dict[str, Any]:
        problems: list[str] = []
        for key, text in value.items():
            if len(key) > 512 or _FORBIDDEN & set(key):
                problems.append(f"has the key {key!r}; allowed: up to 512 characters, none of < > % & ? \\; change it")
            if isinstance(text, str) and len(text) > 256:
                problems.append(f"has a value of {len(text)} characters for {key!r}; allowed: up to 256; shorten it")
        if problems:
            raise ValueError("\n".join(problems))
        return value

    @model_validator(mode="after")
    def parts_fit_each_other(self) -> Self:
        problems: list[str] = []
        if self.fipsMode == "FIPS" and self.imageFamily not in ("Ubuntu", "AzureLinux"):
            problems.append(
                f"has fipsMode FIPS with imageFamily {self.imageFamily!r}; allowed: Ubuntu, AzureLinux; write one of "
                "these"
            )
        swap = self.linuxOSConfig is not None and self.linuxOSConfig.swapFileSize is not None
        if swap and (self.kubelet is None or self.kubelet.failSwapOn is not False):
            problems.append(
                "has linuxOSConfig.swapFileSize and not kubelet.failSwapOn false; allowed: both; set it to false"
            )
        if problems:
            raise ValueError("\n".join(problems))
        return self
