"""What `pulumi` and `kubectl` answer, and a kubeconfig, as far as the commands of an account read it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gpucluster.core.text.values import shown_value


class StackName(BaseModel):
    """One of `pulumi stack ls`. name: with its organization and project, if they are others."""

    name: str = Field(pattern=r"^[A-Za-z0-9_./-]+$", max_length=400)


def _moment(given: object) -> datetime:
    try:
        found = datetime.fromisoformat(given) if isinstance(given, str) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ValueError(f"created is {shown_value(given)}, not a time with its zone")
    return found


class Created(BaseModel):
    """A resource of a state, by its start."""

    created: Annotated[datetime, BeforeValidator(_moment)] | None = None


class Deployment(BaseModel):
    """Of `pulumi stack export`."""

    resources: list[Created] | None = None


class Export(BaseModel):
    """`pulumi stack export`."""

    deployment: Deployment


class Registry(BaseModel):
    """image: of jobs, without its tag. login: the command."""

    image: str
    login: str


class Pushed(BaseModel):
    """The outputs of a stack about how jobs get in: the registry of their images, and the command that opens a shell on
    Slurm's login node.
    """

    registry: Registry | None = None
    slurm_login: str = Field(default="", alias="slurmLogin")


class Storage(BaseModel):
    """namespace: of jobs."""

    namespace: str


class Logs(BaseModel):
    """command: prints the output of a job's pods."""

    command: str = ""


class Outputs(Pushed):
    """The outputs of a stack about its cluster. kubeconfig: as text."""

    account: str
    cluster: str = Field(alias="clusterName", pattern=r"^[A-Za-z0-9._-]+$")
    storage: Storage = Field(alias="sharedStorage")
    kubeconfig: str
    logs: Logs | None = None


class _Part(BaseModel):
    """Of a kubeconfig, whose other fields are kept."""

    model_config = ConfigDict(extra="allow")


class Server(_Part):
    """The address of a cluster."""

    server: str


class NamedCluster(_Part):
    """A cluster of a kubeconfig."""

    cluster: Server


class Command(_Part):
    """The command that gives a token."""

    command: str
    args: list[str] | None = None


class User(_Part):
    """exec: the command that logs in, if any does."""

    exec: Command | None = None


class NamedUser(_Part):
    """A user of a kubeconfig."""

    user: User


class OneCluster(_Part):
    """A kubeconfig with one cluster and one user."""

    clusters: list[NamedCluster] = Field(min_length=1, max_length=1)
    users: list[NamedUser] = Field(min_length=1, max_length=1)


class Marked(BaseModel):
    """extensions: where programs mark their contexts."""

    extensions: list[Any] | None = None


class NamedContext(BaseModel):
    """A context of a kubeconfig."""

    context: Marked | None = None


class Kubeconfig(BaseModel):
    """A kubeconfig of the user's, which may have anything else besides."""

    kind: Literal["Config"] | None = None
    clusters: list[dict[Any, Any]] | None = None
    contexts: list[NamedContext] | None = None
    users: list[dict[Any, Any]] | None = None


class Allowed(BaseModel):
    """Whether a request is."""

    allowed: bool = False


class Review(BaseModel):
    """SelfSubjectAccessReview of authorization.k8s.io/v1."""

    status: Allowed
