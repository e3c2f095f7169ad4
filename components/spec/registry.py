"""Where images of jobs are kept."""

from typing import Annotated, Literal

from pydantic import Field

from gpucluster.components.spec.model import Model


class OwnRegistry(Model):
    """A registry next to the cluster, and caches of public ones. Deleted with the cluster, including its images."""

    kind: Literal["own"]


class ExistingRegistry(Model):
    """An existing registry, which is kept. Nodes may pull from it; on AWS its account must allow this."""

    kind: Literal["existing"]
    id: str = Field(
        min_length=3,
        max_length=512,
        description="Repository of ECR by its URI, of Artifact Registry by its path, or an Azure container registry by "
        "its resource id",
        examples=[
            "123456789012.dkr.ecr.us-east-1.amazonaws.com/training",
            "us-central1-docker.pkg.dev/my-project/training",
        ],
    )


class NoRegistry(Model):
    """No registry: images are public, or nodes pull them with the user's own secret."""

    kind: Literal["none"]


Registry = Annotated[
    OwnRegistry | ExistingRegistry | NoRegistry,
    Field(description="Registry of job images; default: the cluster's own", discriminator="kind"),
]
