"""Karpenter's EC2NodeClass, `karpenter.k8s.aws/v1`, with the rules its API applies.

Source: aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/ec2nodeclass.go. Windows images are left out.
"""

import re
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from gpucluster.components.kubernetes.objects import Later, Part, Spec, Text

__all__ = ["EC2NodeClass"]

_ALIAS_FAMILIES: Final = {"al2": "AL2", "al2023": "AL2023", "bottlerocket": "Bottlerocket"}
_RESTRICTED_TAGS: Final = frozenset(
    {"eks:eks-cluster-name", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim", "karpenter.k8s.aws/ec2nodeclass"}
)
# Gi, G, Ti or T, up to the largest volume of any type.
_VOLUME_SIZE: Final = (
    r"^(([1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi|([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G"
    r"|([1-9]|[1-5][0-7]|58)Ti|([1-9]|[1-5][0-9]|6[0-3]|64)T)$"
)

Tags = dict[str, Annotated[str, Later]]


def _id(prefix: str) -> Any:
    return Field(
        default=None, pattern=rf"^{prefix}-[0-9a-z]+$", description=f"an id {prefix}-...", examples=[f"{prefix}-0abc"]
    )


class Term(Part):
    """One way to find something. `id` excludes the other fields, because it says all."""

    # Fields that the API takes only by themselves, and fields of which one must be there.
    alone: ClassVar[tuple[str, ...]] = ("id",)
    one_of: ClassVar[tuple[str, ...]] = ("id", "tags")

    @model_validator(mode="after")
    def says_what_to_find_once(self) -> Self:
        given = sorted(name for name in type(self).model_fields if getattr(self, name) is not None)
        if not set(given) & set(self.one_of):
            raise ValueError(f"names nothing to find; allowed: one of {', '.join(self.one_of)}; add it")
        for name in self.alone:
            if name in given and len(given) > 1:
                others = ", ".join(other for other in given if other != name)
                raise ValueError(f"has {name} and {others}; allowed: {name} alone; remove one")
        return self


class SubnetTerm(Term):
    id: Annotated[str | None, _id("subnet"), Later] = None
    tags: Tags | None = None


class SecurityGroupTerm(Term):
    alone: ClassVar[tuple[str, ...]] = ("id", "name")
    one_of: ClassVar[tuple[str, ...]] = ("id", "tags", "name")

    id: Annotated[str | None, _id("sg"), Later] = None
    name: Text | None = None
    tags: Tags | None = None


class ReservationTerm(Term):
    one_of: ClassVar[tuple[str, ...]] = ("id", "tags", "instanceMatchCriteria")

    id: Annotated[str | None, _id("cr"), Later] = None
    tags: Tags | None = None
    ownerID: str | None = Field(default=None, pattern=r"^[0-9]{12}$", description="an account: 12 digits")
    instanceMatchCriteria: Literal["open", "targeted"] | None = None


class ImageTerm(Term):
    alone: ClassVar[tuple[str, ...]] = ("id", "alias")
    one_of: ClassVar[tuple[str, ...]] = ("id", "alias", "name", "tags", "ssmParameter")

    alias: str | None = Field(
        default=None,
        pattern=r"^(al2|al2023|bottlerocket)@.+$",
        max_length=30,
        description="a family (al2, al2023, bottlerocket), @ and a release",
        examples=["al2023@v20260714"],
    )
    id: Annotated[str | None, _id("ami"), Later] = None
    name: Text | None = None
    owner: Text | None = None
    tags: Tags | None = None
    ssmParameter: Text | None = None


class PlacementGroupSelector(Part):
    """The group must exist, and pins no zone: require one in the pool."""

    name: Text | None = None
    id: Annotated[str | None, _id("pg"), Later] = None

    @model_validator(mode="after")
    def name_or_id(self) -> Self:
        if (self.name is None) == (self.id is None):
            raise ValueError(
                f"has {'neither name nor id' if self.name is None else 'name and id'}; allowed: exactly one of them; "
                f"{'add one' if self.name is None else 'remove one'}"
            )
        return self


class NetworkInterface(Part):
    networkCardIndex: int = Field(ge=0, description="0 or more", examples=[0])
    deviceIndex: int = Field(ge=0, description="0 or more", examples=[0])
    interfaceType: Literal["interface", "efa-only"]


class Volume(Part):
    volumeSize: str | None = Field(
        default=None, pattern=_VOLUME_SIZE, description="a size in Gi, G, Ti or T", examples=["200Gi"]
    )
    volumeType: Literal["standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"] | None = None
    iops: int | None = Field(default=None, ge=100, description="100 or more", examples=[3000])
    throughput: int | None = Field(default=None, ge=125, le=1000, description="125 to 1000 MiB/s", examples=[250])
    encrypted: bool | None = Field(default=None, description="true or false")
    deleteOnTermination: bool | None = Field(default=None, description="true or false")
    kmsKeyID: Text | None = None
    snapshotID: Text | None = None
    volumeInitializationRate: int | None = Field(default=None, ge=100, le=300, description="100 to 300 MiB/s")

    @model_validator(mode="after")
    def size_or_snapshot(self) -> Self:
        if self.volumeSize is None and self.snapshotID is None:
            raise ValueError("has neither volumeSize nor snapshotID; allowed: one or both; add volumeSize")
        if self.volumeInitializationRate is not None and self.snapshotID is None:
            raise ValueError(
                "has volumeInitializationRate and no snapshotID; allowed: the rate with a snapshot; remove it"
            )
        return self


class BlockDevice(Part):
    deviceName: Text | None = None
    rootVolume: bool = Field(default=False, description="true or false")
    ebs: Volume | None = None


class MetadataOptions(Part):
    httpEndpoint: Literal["enabled", "disabled"] | None = None
    httpProtocolIPv6: Literal["enabled", "disabled"] | None = None
    httpPutResponseHopLimit: int | None = Field(default=None, ge=1, le=64, description="1 to 64", examples=[1])
    httpTokens: Literal["required", "optional"] | None = None


class EC2NodeClass(Spec):
    """What the machines of a pool are made of. One class per machine type where it lists network interfaces."""

    api_version: ClassVar[str] = "karpenter.k8s.aws/v1"
    kind: ClassVar[str] = "EC2NodeClass"

    subnetSelectorTerms: list[SubnetTerm] = Field(min_length=1, max_length=30, description="1 to 30 terms")
    securityGroupSelectorTerms: list[SecurityGroupTerm] = Field(
        min_length=1, max_length=30, description="1 to 30 terms"
    )
    capacityReservationSelectorTerms: list[ReservationTerm] = Field(
        default=[], max_length=30, description="up to 30 terms"
    )
    placementGroupSelector: PlacementGroupSelector | None = None
    amiSelectorTerms: list[ImageTerm] = Field(min_length=1, max_length=30, description="1 to 30 terms")
    amiFamily: Literal["AL2", "AL2023", "Bottlerocket", "Custom"] | None = None
    role: Text | None = None
    instanceProfile: Text | None = None
    associatePublicIPAddress: bool | None = Field(default=None, description="true or false")
    ipPrefixCount: int | None = Field(default=None, ge=0, description="0 or more")
    blockDeviceMappings: list[BlockDevice] = Field(default=[], max_length=50, description="up to 50 devices")
    instanceStorePolicy: Literal["RAID0"] | None = None
    networkInterfaces: list[NetworkInterface] = Field(default=[], max_length=150, description="up to 150 interfaces")
    metadataOptions: MetadataOptions | None = None
    userData: Annotated[str, Field(max_length=16384), Later] | None = Field(
        default=None, description="a script or MIME message of up to 16 KiB"
    )
    kubelet: dict[str, Any] | None = None
    detailedMonitoring: bool | None = Field(default=None, description="true or false")
    tags: Tags = Field(default={}, description="keys and values of text")

    @field_validator("tags")
    @classmethod
    def tags_are_not_karpenters(cls, value: Tags) -> Tags:
        wrong = sorted(
            key for key in value if not key or key in _RESTRICTED_TAGS or key.startswith("kubernetes.io/cluster")
        )
        if wrong:
            raise ValueError(f"has {', '.join(map(repr, wrong))}; allowed: keys Karpenter does not set; remove them")
        return value

    @field_validator("networkInterfaces")
    @classmethod
    def interfaces_fit_a_machine(cls, value: list[NetworkInterface]) -> list[NetworkInterface]:
        places = [(item.networkCardIndex, item.deviceIndex) for item in value]
        fabric = [item.networkCardIndex for item in value if item.interfaceType == "efa-only"]
        problems: list[str] = []
        if value and not any(
            place == (0, 0) and item.interfaceType == "interface" for place, item in zip(places, value, strict=True)
        ):
            problems.append(
                "lacks the primary interface; allowed: card 0, device 0 of type interface among them; add or change it"
            )
        for place in sorted({place for place in places if places.count(place) > 1}):
            problems.append(f"has card {place[0]}, device {place[1]} twice; allowed: once; remove one")
        for card in sorted({card for card in fabric if fabric.count(card) > 1}):
            problems.append(
                f"has {fabric.count(card)} efa-only on card {card}; allowed: one on each card; remove the rest"
            )
        if problems:
            raise ValueError("\n".join(problems))
        return value

    @field_validator("blockDeviceMappings")
    @classmethod
    def one_root_volume(cls, value: list[BlockDevice]) -> list[BlockDevice]:
        roots = sum(item.rootVolume for item in value)
        if roots > 1:
            raise ValueError(f"has {roots} with rootVolume; allowed: one; set the others to false")
        return value

    @model_validator(mode="after")
    def role_or_instance_profile(self) -> Self:
        if (self.role is None) == (self.instanceProfile is None):
            has = "neither role nor instanceProfile" if self.role is None else "role and instanceProfile"
            change = "add role" if self.role is None else "remove one"
            raise ValueError(f"has {has}; allowed: exactly one of them; {change}")
        return self

    @model_validator(mode="after")
    def image_family_is_that_of_its_alias(self) -> Self:
        aliases = [term.alias for term in self.amiSelectorTerms if term.alias is not None]
        if aliases and len(self.amiSelectorTerms) > 1:
            raise ValueError(
                f"has the alias {aliases[0]!r} beside other amiSelectorTerms; allowed: it alone; remove the others"
            )
        if not aliases and self.amiFamily is None:
            raise ValueError("has no alias and no amiFamily; allowed: one of them; add amiFamily")
        family = _ALIAS_FAMILIES[re.split("@", aliases[0])[0]] if aliases else None
        if family is not None and self.amiFamily not in (None, "Custom", family):
            raise ValueError(
                f"has amiFamily {self.amiFamily!r} and the alias {aliases[0]!r}; allowed: {family}, Custom or none; "
                "remove amiFamily"
            )
        return self
