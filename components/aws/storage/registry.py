"""Images on AWS: an ECR repository, and pull-through caches of public registries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

import pulumi
from pulumi_aws import ecr, iam

from gpucluster.components.cluster.outputs import Registry
from gpucluster.components.resources.run import or_empty
from gpucluster.components.shared.registry import DAYS_CACHED, IMAGE, UPSTREAMS, RegistryPlan

_UNTAGGED_DAYS: Final = 14


def registry(
    name: str,
    plan: RegistryPlan,
    *,
    region: str,
    node_roles: Mapping[str, iam.Role],
    parent: pulumi.Resource,
) -> Registry:
    """node_roles: suffix of a logical name -> role of nodes. Each may pull from every repository of its account."""
    if plan.existing is not None:
        return _registry(pulumi.Output.from_input(plan.existing), {})
    repository = _ClusterRegistry(
        name, plan, region=region, node_roles=node_roles, opts=pulumi.ResourceOptions(parent=parent)
    )
    return _registry(repository.uri, repository.caches)


class _ClusterRegistry(pulumi.ComponentResource):
    """Outputs: uri, of the repository for jobs."""

    uri: pulumi.Output[str]
    caches: Mapping[str, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        plan: RegistryPlan,
        *,
        region: str,
        node_roles: Mapping[str, iam.Role],
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("gpucluster:aws:Registry", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        repository = ecr.Repository(
            f"{name}-{IMAGE}",
            name=f"{plan.name}/{IMAGE}",
            # A node that replaces a broken one runs the same image under the same tag.
            image_tag_mutability="IMMUTABLE",
            image_scanning_configuration=ecr.RepositoryImageScanningConfigurationArgs(scan_on_push=True),
            encryption_configurations=[ecr.RepositoryEncryptionConfigurationArgs(encryption_type="AES256")],
            # As on the other clouds: the cluster's own registry is deleted with it.
            force_delete=True,
            opts=here,
        )
        ecr.LifecyclePolicy(
            f"{name}-{IMAGE}-lifecycle",
            repository=repository.name,
            policy=_expiry(_UNTAGGED_DAYS, "untagged"),
            opts=here,
        )
        self.uri, self.caches = or_empty(repository.repository_url), {}
        if plan.caches:
            host = self.uri.apply(lambda uri: uri.split("/")[0])
            self.caches = {
                upstream: pulumi.Output.concat(host, f"/{plan.name}/{short}") for short, upstream in UPSTREAMS.items()
            }
            _caches(name, plan.name, region, or_empty(repository.arn), node_roles, here)
        self.register_outputs({"uri": self.uri})


def _caches(
    name: str,
    prefix: str,
    region: str,
    repository_arn: pulumi.Output[str],
    node_roles: Mapping[str, iam.Role],
    opts: pulumi.ResourceOptions,
) -> None:
    """ECR creates a repository at the first pull of an image, with the permissions of the pulling node."""
    ecr.RepositoryCreationTemplate(
        f"{name}-template",
        prefix=prefix,
        applied_fors=["PULL_THROUGH_CACHE"],
        description=f"Copies of public images, for {DAYS_CACHED} days",
        # No stack manages these repositories: after a destroy, the rest of them expires.
        lifecycle_policy=_expiry(DAYS_CACHED, "any"),
        region=region,
        opts=opts,
    )
    for short, upstream in UPSTREAMS.items():
        ecr.PullThroughCacheRule(
            f"{name}-cache-{short}",
            ecr_repository_prefix=f"{prefix}/{short}",
            upstream_registry_url=upstream,
            opts=opts,
        )
    # Source: Amazon ECR user guide, "IAM permissions required to sync an upstream registry".
    statement = {
        "Effect": "Allow",
        "Action": ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"],
        "Resource": repository_arn.apply(lambda arn: [f"{arn.rpartition('/')[0]}/{short}/*" for short in UPSTREAMS]),
    }
    for suffix, role in node_roles.items():
        iam.RolePolicy(
            f"{name}-{suffix}-caches",
            role=role.name,
            policy=pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": [statement]}),
            opts=opts,
        )


def _expiry(days: int, status: str) -> str:
    selection = {"tagStatus": status, "countType": "sinceImagePushed", "countUnit": "days", "countNumber": days}
    return json.dumps({"rules": [{"rulePriority": 1, "selection": selection, "action": {"type": "expire"}}]})


def _registry(uri: pulumi.Output[str], caches: Mapping[str, pulumi.Output[str]]) -> Registry:
    return Registry(image=uri, login=uri.apply(_login), caches=caches)


def _login(uri: str) -> str:
    """Source: Amazon ECR user guide, "Private registry authentication"; a host is ACCOUNT.dkr.ecr.REGION.DOMAIN."""
    host = uri.split("/")[0]
    if not host:
        return ""
    region = host.split(".")[3]
    return f"aws ecr get-login-password --region {region} | docker login --username AWS --password-stdin {host}"
