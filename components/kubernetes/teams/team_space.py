"""The parts of a team except its queues: a namespace with the claims and rules of `training`, and its submitters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pulumi

from gpucluster.components.kubernetes.objects.network_policy import not_to_these, only_from_within
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.components.kubernetes.teams.submitters import Submitter, Submitters
from gpucluster.components.kubernetes.teams.workspace import Workspace, claims, job_namespace
from gpucluster.components.planning.names import NAMESPACE, TEAM
from gpucluster.components.resources.label_transformation import labelled_objects
from gpucluster.components.shared.jobs.teams import PeoplePlan, TeamPlan


class TeamSpace(pulumi.ComponentResource):
    """Outputs: namespace.

    In logical names, a dot follows the team's name, because team names contain hyphens.
    """

    namespace: Declared
    labels: Mapping[str, str]
    """Labels of all objects of the team, in addition to the cluster's."""

    def __init__(
        self,
        name: str,
        team: TeamPlan,
        people: Sequence[Submitter],
        *,
        workspace: Workspace,
        closed: Sequence[str] = (),
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """people: submitters of its jobs. workspace: with its volumes. closed: addresses that no job may reach."""
        self.labels = {TEAM: team.name}
        super().__init__("gpucluster:kubernetes:TeamSpace", name, {}, labelled_objects(self.labels, opts))
        here = pulumi.ResourceOptions(parent=self)
        self.team = team
        self.namespace = job_namespace(f"{name}.namespace", team.namespace, workspace.pod_security, opts=here)
        inside = self.namespace.object_name
        claims(
            f"{name}.files",
            {claim: volume.again(team.name) for claim, volume in workspace.volumes.items()},
            namespace=inside,
            opts=here,
        )
        only_from_within(f"{name}.network", namespace=inside, opts=here)
        if closed:
            not_to_these(f"{name}.closed", closed, namespace=inside, opts=here)
        Submitters(f"{name}.submitters", people, namespace=inside, opts=here)
        self.register_outputs({"namespace": inside})


def people_spaces(
    name: str,
    people: PeoplePlan,
    members: Callable[[str, Sequence[str]], Sequence[Submitter]],
    *,
    workspace: Workspace,
    closed: Sequence[str] = (),
    opts: pulumi.ResourceOptions,
) -> list[TeamSpace]:
    """The submitters of `training`, and the namespaces of teams. name: of the cluster.

    members: namespace and its submitters in the spec's terms -> the same as the cloud reports them to the API server.
    """
    if people.submitters:
        Submitters(
            f"{name}-submitters",
            members(NAMESPACE, people.submitters),
            namespace=workspace.namespace.object_name,
            opts=opts,
        )
    return [
        TeamSpace(
            f"{name}-team-{team.name}",
            team,
            members(team.namespace, team.groups),
            workspace=workspace,
            closed=closed,
            opts=opts,
        )
        for team in people.teams
    ]
