"""Images on Google Cloud: an Artifact Registry repository, and caches of public registries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi_gcp import artifactregistry

from gpucluster.components.cluster.outputs import Registry
from gpucluster.components.gcp.identity import NodeIdentity
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.plan import REPOSITORY
from gpucluster.components.resources.run import or_empty
from gpucluster.components.shared.registry import DAYS_CACHED, IMAGE, UPSTREAMS, RegistryPlan

_DAY: Final = 24 * 60 * 60


def registry(
    name: str,
    plan: RegistryPlan,
    *,
    location: Location,
    nodes: NodeIdentity,
    after: Sequence[pulumi.Resource],
    parent: pulumi.Resource,
) -> Registry:
    """Nodes may read every repository of their project; for one of another project, this grants access."""
    found = None if plan.existing is None else re.fullmatch(REPOSITORY, plan.existing)
    if found is not None:
        if found["project"] != location.project:
            artifactregistry.RepositoryIamMember(
                f"{name}-pull",
                project=found["project"],
                location=found["location"],
                repository=found["id"],
                role="roles/artifactregistry.reader",
                member=nodes.member,
                opts=pulumi.ResourceOptions(parent=parent),
            )
        return _registry(pulumi.Output.from_input(found[0]), {})
    opts = pulumi.ResourceOptions(parent=parent, depends_on=list(after))
    repository = _ClusterRegistry(name, plan, location=location, opts=opts)
    return _registry(repository.path, repository.caches)


class _ClusterRegistry(pulumi.ComponentResource):
    """Outputs: path, of the repository for jobs."""

    path: pulumi.Output[str]
    caches: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, plan: RegistryPlan, *, location: Location, opts: pulumi.ResourceOptions) -> None:
        super().__init__("gpucluster:gcp:Registry", name, {}, opts)
        self._name, self._plan, self._location = name, plan, location
        jobs = self._repository(
            IMAGE,
            # A node that replaces a broken one runs the same image under the same tag.
            docker_config=artifactregistry.RepositoryDockerConfigArgs(immutable_tags=True),
        )
        self.path = or_empty(jobs.registry_uri)
        self.caches = {upstream: self._cache(short, upstream) for short, upstream in UPSTREAMS.items() if plan.caches}
        self.register_outputs({"path": self.path})

    def _cache(self, short: str, upstream: str) -> pulumi.Output[str]:
        """A cache; its images are deleted with it."""
        return self._repository(
            short,
            mode="REMOTE_REPOSITORY",
            remote_repository_config=artifactregistry.RepositoryRemoteRepositoryConfigArgs(
                common_repository=artifactregistry.RepositoryRemoteRepositoryConfigCommonRepositoryArgs(
                    uri=f"https://{upstream}"
                )
            ),
            cleanup_policies=[
                artifactregistry.RepositoryCleanupPolicyArgs(
                    id="old",
                    action="DELETE",
                    condition=artifactregistry.RepositoryCleanupPolicyConditionArgs(
                        tag_state="ANY", older_than=f"{DAYS_CACHED * _DAY}s"
                    ),
                )
            ],
        ).registry_uri

    def _repository(self, suffix: str, **how: Any) -> artifactregistry.Repository:
        name = f"{self._name}-{suffix}"
        return artifactregistry.Repository(
            name,
            project=self._location.project,
            location=self._location.region,
            repository_id=f"{self._plan.name}-{suffix}",
            format="DOCKER",
            opts=pulumi.ResourceOptions(parent=self),
            **how,
        )


def _registry(path: pulumi.Output[str], caches: Mapping[str, pulumi.Output[str]]) -> Registry:
    return Registry(
        image=pulumi.Output.concat(path, f"/{IMAGE}"),
        login=path.apply(lambda path: f"gcloud auth configure-docker {path.split('/')[0]}"),
        caches=caches,
    )
