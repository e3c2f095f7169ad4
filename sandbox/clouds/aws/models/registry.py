"""Repositories of images, and caches of public registries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, DOMAIN
from gpucluster.sandbox.clouds.aws.model import Thing, models

__all__: list[str] = []


@models("aws:ecr/repository:Repository", id=lambda thing: thing.name, defaults={"imageTagMutability": "MUTABLE"})
def repository(thing: Thing) -> Mapping[str, Any]:
    return {
        "arn": thing.arn("ecr", f"repository/{thing.name}"),
        "registryId": ACCOUNT,
        "repositoryUrl": f"{ACCOUNT}.dkr.ecr.{thing.region}.{DOMAIN}/{thing.name}",
    }


@models("aws:ecr/lifecyclePolicy:LifecyclePolicy", id=lambda thing: thing.inputs["repository"])
def lifecycle_policy(_: Thing) -> Mapping[str, Any]:
    return {"registryId": ACCOUNT}


@models("aws:ecr/pullThroughCacheRule:PullThroughCacheRule", id=lambda thing: thing.inputs["ecrRepositoryPrefix"])
def pull_through_cache_rule(_: Thing) -> Mapping[str, Any]:
    return {"registryId": ACCOUNT}


@models(
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate",
    id=lambda thing: thing.inputs["prefix"],
    defaults={"imageTagMutability": "MUTABLE"},
)
def repository_creation_template(_: Thing) -> Mapping[str, Any]:
    return {"registryId": ACCOUNT}
