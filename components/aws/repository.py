"""The image registry of a cluster on AWS, as plain values. Imports no Pulumi."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from gpucluster.components.aws.location import Location
from gpucluster.components.aws.partition import partition
from gpucluster.components.problem import Problem
from gpucluster.components.registry import RegistryPlan, old_plan_registry, registry_problems
from gpucluster.components.spec.cluster import ClusterSpec

# URI of a repository. Source: Amazon ECR user guide, "Private registry".
_REPOSITORY: Final = r"^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?/[a-z0-9][a-z0-9._/-]*$"


def plan_repository(spec: ClusterSpec, location: Location, *, stack: str, nat: bool) -> RegistryPlan | None:
    """nat: whether the network has a route out. A first pull through a cache needs one even if ECR has an endpoint;
    partitions other than AWS's main one do not list the public registries. Prefixes of caches have at most 30
    characters, and the name of a stack may be longer.

    Sources: Amazon ECR API, CreatePullThroughCacheRule; Amazon ECR user guide, vpc-endpoints.
    """
    name = f"{re.sub('-+', '-', spec.name)}-{hashlib.sha256(stack.encode()).hexdigest()[:4]}"
    return old_plan_registry(spec, name=name, caches=nat and partition(location.region) == "aws")


def repository_problems(spec: ClusterSpec) -> list[Problem]:
    """A repository of the user that is not an ECR repository."""
    looks = "the URI of an ECR repository, such as 123456789012.dkr.ecr.us-east-1.amazonaws.com/training"
    return registry_problems(spec, _REPOSITORY, looks=looks)
