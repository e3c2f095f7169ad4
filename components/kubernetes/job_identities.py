"""Service accounts of jobs with bucket access, each with the configuration of its buckets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi

from gpucluster.components.kubernetes.objects.objects import CONFIG_MAP, SERVICE_ACCOUNT, Declared, manifest_of
from gpucluster.components.kubernetes.workspaces import TeamSpace, Workspace
from gpucluster.components.shared.buckets import IdentityPlan, remote_name


@dataclass(frozen=True, kw_only=True)
class JobIdentity:
    """remotes: bucket as the spec names it -> its rclone remote, which uses the pod's permissions and no key.

    annotations: by which the cloud recognizes the account.
    """

    plan: IdentityPlan
    remotes: Mapping[str, pulumi.Input[str]]
    annotations: Mapping[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])


class JobIdentities(pulumi.ComponentResource):
    """A service account and a ConfigMap (named like it, with `-buckets`) for each identity, in its namespace.

    The ConfigMap has variables that define the buckets for rclone, so that a job is the same on every cloud.
    Source: rclone v1.71.0, docs/content/docs.md ("Config file", "Connection strings").
    """

    def __init__(
        self,
        name: str,
        identities: Sequence[JobIdentity],
        *,
        workspace: Workspace,
        spaces: Sequence[TeamSpace],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """spaces: of the teams, whose accounts get their labels."""
        super().__init__("gpucluster:kubernetes:JobIdentities", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        of_teams = {space.team.namespace: space for space in spaces}
        for identity in identities:
            plan = identity.plan
            space = of_teams.get(plan.namespace)
            namespace = (space or workspace).namespace.object_name
            labels = space.labels if space is not None else dict[str, str]()
            Declared(
                f"{name}-{plan.name}-account",
                manifest_of(
                    SERVICE_ACCOUNT,
                    # The cloud's own token is mounted independently of this.
                    {"automountServiceAccountToken": False},
                    object_name=plan.name,
                    namespace=namespace,
                    labels=labels,
                    annotations=identity.annotations,
                ),
                here,
            )
            variables = {
                f"RCLONE_CONFIG_{remote_name(bucket).upper()}_{option}": value
                for bucket, remote in identity.remotes.items()
                for option, value in (("TYPE", "alias"), ("REMOTE", remote))
            }
            Declared(
                f"{name}-{plan.name}-buckets",
                manifest_of(
                    CONFIG_MAP,
                    {"data": variables},
                    object_name=f"{plan.name}-buckets",
                    namespace=namespace,
                    labels=labels,
                ),
                here,
            )
        self.register_outputs({})
