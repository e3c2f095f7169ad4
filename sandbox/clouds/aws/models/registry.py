"""Image repositories, and caches of public registries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, DOMAIN
from gpucluster.sandbox.clouds.aws.model import ManagedResource, models


@models("aws:ecr/repository:Repository", id=lambda managed: managed.name, defaults={"imageTagMutability": "MUTABLE"})
def repository(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "arn": managed.arn("ecr", f"repository/{managed.name}"),
        "registryId": ACCOUNT,
        "repositoryUrl": f"{ACCOUNT}.dkr.ecr.{managed.region}.{DOMAIN}/{managed.name}",
    }


@models("aws:ecr/lifecyclePolicy:LifecyclePolicy", id=lambda managed: managed.inputs["repository"])
def lifecycle_policy(_: ManagedResource) -> Mapping[str, Any]:
    return {"registryId": ACCOUNT}


@models("aws:ecr/pullThroughCacheRule:PullThroughCacheRule", id=lambda managed: managed.inputs["ecrRepositoryPrefix"])
def pull_through_cache_rule(_: ManagedResource) -> Mapping[str, Any]:
    return {"registryId": ACCOUNT}


@models(
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate",
    id=lambda managed: managed.inputs["prefix"],
    defaults={"imageTagMutability": "MUTABLE"},
)
def repository_creation_template(_: ManagedResource) -> Mapping[str, Any]:
    return {"registryId": ACCOUNT}
