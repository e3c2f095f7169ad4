"""A pod as a training runtime describes it: the fields in use, checked as the API server and Trainer would.

Source: Kubernetes API reference v1.35, PodSpec and Container.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from gpucluster.components.kubernetes.chart_values import Toleration
from gpucluster.components.kubernetes.node_affinity import NodeAffinity
from gpucluster.components.kubernetes.objects import Amount, Part, Text, label_problems
from gpucluster.components.kubernetes.syntax import key_problem, name_problem

__all__ = ["SSH_VOLUME", "Container", "Pod", "PodMetadata"]

SSH_VOLUME: Final = "mpi-ssh-auth"
"""The volume with a job's SSH keys, which Trainer adds. Source: kubeflow/trainer v2.1.0, pkg/constants."""

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DIGEST: Final = re.compile(r"@sha256:[0-9a-f]{64}$")


def _name(value: str) -> str:
    if (allowed := name_problem(value, longest=63)) is not None:
        raise ValueError(f"is {value!r}; allowed: {allowed}; change it")
    return value


def _variable(value: str) -> str:
    if not _VARIABLE.fullmatch(value):
        raise ValueError(f"is {value!r}; allowed: letters, digits and _, no digit first; change it")
    return value


def _image(value: str) -> str:
    """A moving image would be another one on the node that is replaced in the middle of a job."""
    tag = value.rpartition("/")[2].partition(":")[2]
    if not _DIGEST.search(value) and tag in ("", "latest"):
        raise ValueError(f"is {value!r}; allowed: an image with a digest or a tag other than latest; pin it")
    return value


def _path(value: str) -> str:
    if not value.startswith("/") or ":" in value:
        raise ValueError(f"is {value!r}; allowed: a full path without a colon; write one such as /scratch")
    return value


Name = Annotated[str, AfterValidator(_name)]
Variable = Annotated[str, AfterValidator(_variable)]
Image = Annotated[str, AfterValidator(_image)]
FullPath = Annotated[str, AfterValidator(_path)]


class EnvironmentVariable(Part):
    name: Variable
    value: str


class Resources(Part):
    """Of an extended resource, requests and limits are the same: Kubernetes takes nothing else."""

    requests: dict[str, Amount] = Field(default={}, description="amounts by resource")
    limits: dict[str, Amount] = Field(default={}, description="amounts by resource")

    @model_validator(mode="after")
    def extended_resources_are_whole_and_limited(self) -> Self:
        problems: list[str] = []
        for name, amount in {**self.requests, **self.limits}.items():
            if (allowed := key_problem(name)) is not None:
                problems.append(f"has the resource {name!r}; allowed: {allowed}; change it")
            elif "/" in name and not amount.isdecimal():
                problems.append(f"has {name}: {amount!r}; allowed: a whole number; change it")
            if ("/" in name or name.startswith("hugepages-")) and self.requests.get(name) != self.limits.get(name):
                problems.append(
                    f"has {name} {self.requests.get(name, 'missing')} in requests and "
                    f"{self.limits.get(name, 'missing')} in limits; allowed: the same in both; make them the same"
                )
        if problems:
            raise ValueError("\n".join(problems))
        return self


class Capabilities(Part):
    add: list[Text] = Field(default=[], description="names of capabilities, without CAP_")
    drop: list[Text] = Field(default=[], description="names of capabilities, without CAP_")


class SecurityContext(Part):
    allowPrivilegeEscalation: bool | None = None
    capabilities: Capabilities | None = None


class Mount(Part):
    name: Name
    mountPath: FullPath
    readOnly: bool | None = None


class Exec(Part):
    command: list[str] = Field(min_length=1, description="a command")


class TcpSocket(Part):
    port: int = Field(ge=1, le=65535, description="a port")


class Probe(Part):
    """Times in seconds."""

    exec: Exec | None = None
    tcpSocket: TcpSocket | None = None
    initialDelaySeconds: int | None = Field(default=None, ge=0, description="0 or more seconds")
    periodSeconds: int | None = Field(default=None, ge=1, description="1 or more seconds")
    failureThreshold: int | None = Field(default=None, ge=1, description="1 or more")


class Container(Part):
    """restartPolicy: Always makes an init container one that runs beside the others until they end."""

    name: Name
    image: Image
    command: list[str] = Field(default=[], description="a command")
    args: list[str] = Field(default=[], description="a list of arguments")
    env: list[EnvironmentVariable] = Field(default=[], description="names and values")
    resources: Resources | None = None
    volumeMounts: list[Mount] = Field(default=[], description="a list of mounts")
    securityContext: SecurityContext | None = None
    restartPolicy: Literal["Always"] | None = None
    startupProbe: Probe | None = None
    readinessProbe: Probe | None = None


class Memory(Part):
    """medium: Memory keeps the files in RAM. sizeLimit: without one, half of the machine's memory."""

    medium: Literal["Memory"] | None = None
    sizeLimit: Amount | None = None


class HostPath(Part):
    path: FullPath
    type: Literal["Directory", "DirectoryOrCreate", "File"] | None = None


class Claim(Part):
    claimName: Name


class ConfigFiles(Part):
    name: Name


class Volume(Part):
    name: Name
    emptyDir: Memory | None = None
    hostPath: HostPath | None = None
    persistentVolumeClaim: Claim | None = None
    configMap: ConfigFiles | None = None

    @model_validator(mode="after")
    def it_is_of_one_kind(self) -> Self:
        kinds = [self.emptyDir, self.hostPath, self.persistentVolumeClaim, self.configMap]
        if sum(kind is not None for kind in kinds) != 1:
            raise ValueError(
                f"is a volume {self.name} of {sum(kind is not None for kind in kinds)} kinds; allowed: one of "
                "emptyDir, hostPath, persistentVolumeClaim, configMap; keep one"
            )
        return self


class Affinity(Part):
    nodeAffinity: NodeAffinity


class Pod(Part):
    """affinity: which nodes it may have besides; those with the labels of nodeSelector where both are given."""

    nodeSelector: dict[str, str] = Field(default={}, description="labels of nodes")
    affinity: Affinity | None = None
    tolerations: list[Toleration] = Field(default=[], description="a list of tolerations")
    automountServiceAccountToken: bool | None = None
    enableServiceLinks: bool | None = None
    restartPolicy: Literal["Never", "OnFailure"] | None = None
    initContainers: list[Container] = Field(default=[], description="a list of containers")
    containers: list[Container] = Field(min_length=1, description="one container or more")
    volumes: list[Volume] = Field(default=[], description="a list of volumes")

    @model_validator(mode="after")
    def everything_named_is_there_once(self) -> Self:
        problems = [*self._twice(), *self._not_there(), *label_problems(self.nodeSelector)]
        problems += [
            f"has restartPolicy Always on the container {container.name}; allowed: on init containers; remove it"
            for container in self.containers
            if container.restartPolicy
        ]
        if problems:
            raise ValueError("\n".join(problems))
        return self

    def _twice(self) -> Iterator[str]:
        everything = [*self.initContainers, *self.containers]
        for what, names in (
            ("container", [container.name for container in everything]),
            ("volume", [volume.name for volume in self.volumes]),
            *(
                (f"path in {container.name}", [mount.mountPath for mount in container.volumeMounts])
                for container in everything
            ),
            *(
                (f"variable in {container.name}", [variable.name for variable in container.env])
                for container in everything
            ),
        ):
            for name in sorted({name for name in names if names.count(name) > 1}):
                yield f"has the {what} {name} twice; allowed: each once; remove one"

    def _not_there(self) -> Iterator[str]:
        there = {SSH_VOLUME, *(volume.name for volume in self.volumes)}
        for container in (*self.initContainers, *self.containers):
            for mount in container.volumeMounts:
                if mount.name not in there:
                    yield (
                        f"has a mount of the volume {mount.name} in {container.name}; allowed: volumes of the pod, "
                        f"{', '.join(sorted(there))}; add the volume"
                    )


class PodMetadata(Part):
    labels: dict[str, str] = Field(default={}, description="keys and values of text")
    annotations: dict[str, str] = Field(default={}, description="keys and values of text")

    @model_validator(mode="after")
    def keys_are_well_formed(self) -> Self:
        problems = label_problems(self.labels)
        for key in self.annotations:
            if (allowed := key_problem(key)) is not None:
                problems.append(f"has the annotation {key!r}; allowed: {allowed}; change it")
        if problems:
            raise ValueError("\n".join(problems))
        return self
