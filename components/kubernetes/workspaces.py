"""The namespaces of jobs, the common one and one for each team, with their claims and their submitters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pulumi

from gpucluster.components.kubernetes.objects.namespace import PodSecurity, namespace, not_to_these, only_from_within
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.components.kubernetes.objects.volume import Volume, claimed
from gpucluster.components.kubernetes.submitters import Submitter, SubmitterLimits, Submitters
from gpucluster.components.planning.names import HOME_CLAIM, NAMESPACE, SHARED_CLAIM, TEAM
from gpucluster.components.resources.label_transformation import labelled_objects
from gpucluster.components.shared.teams import PeoplePlan, TeamPlan


class Workspace(pulumi.ComponentResource):
    """namespace: the first object in the cluster; expensive resources depend on it, and so on a reachable API.

    Outputs, once the volumes are mounted: namespace, claim; homeClaim if there is a home file system.
    """

    namespace: Declared
    pod_security: PodSecurity
    volumes: Mapping[str, Volume]
    """By the names of their claims, once mounted."""

    def __init__(
        self,
        name: str,
        *,
        pod_security: PodSecurity = "baseline",
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:kubernetes:Workspace", name, {}, opts)
        self._name = name
        self.pod_security = pod_security
        self.namespace = job_namespace(
            f"{name}-namespace", NAMESPACE, pod_security, opts=pulumi.ResourceOptions(parent=self)
        )

    def mount(self, shared: Volume, home: Volume | None) -> None:
        """Adds the claims, last: their file systems may need resources that wait for the namespace."""
        self.volumes = {SHARED_CLAIM: shared, **({} if home is None else {HOME_CLAIM: home})}
        inside = self.namespace.object_name
        here = pulumi.ResourceOptions(parent=self)
        created = claims(self._name, self.volumes, namespace=inside, opts=here)
        outputs: dict[str, pulumi.Output[str]] = {"namespace": inside, "claim": created[SHARED_CLAIM].object_name}
        if home is not None:
            outputs["homeClaim"] = created[HOME_CLAIM].object_name
        self.register_outputs(outputs)


def job_namespace(name: str, object_name: str, pod_security: PodSecurity, *, opts: pulumi.ResourceOptions) -> Declared:
    """A namespace for jobs. Pods that violate `baseline` get a warning, whatever it enforces."""
    warn = None if pod_security == "baseline" else "baseline"
    return Declared(name, namespace(object_name, pod_security, warn=warn), opts)


def claims(
    name: str,
    volumes: Mapping[str, Volume],
    *,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> dict[str, Declared]:
    """The claims of a namespace, by name. volumes: by the names of their claims."""
    return {
        claim: claimed(
            name if claim == SHARED_CLAIM else f"{name}-{claim}",
            volume,
            claim=claim,
            namespace=namespace,
            opts=opts,
        )
        for claim, volume in volumes.items()
    }


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
        limits: SubmitterLimits,
        may_exec: bool = False,
        closed: Sequence[str] = (),
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """people: submitters of its jobs. workspace: with its volumes. limits, may_exec: of submitters. closed:
        addresses that no job may reach.
        """
        self.labels = {TEAM: team.name}
        super().__init__("gpucluster:kubernetes:TeamSpace", name, {}, labelled_objects(self.labels, opts))
        here = pulumi.ResourceOptions(parent=self)
        self.team = team
        self.namespace = job_namespace(f"{name}.namespace", team.namespace, workspace.pod_security, opts=here)
        inside = self.namespace.object_name
        claims(
            f"{name}.files",
            {claim: volume.for_team(team.name) for claim, volume in workspace.volumes.items()},
            namespace=inside,
            opts=here,
        )
        only_from_within(f"{name}.network", namespace=inside, opts=here)
        if closed:
            not_to_these(f"{name}.closed", closed, namespace=inside, opts=here)
        limited = pulumi.ResourceOptions(parent=self, depends_on=[limits])
        Submitters(f"{name}.submitters", people, namespace=inside, may_exec=may_exec, opts=limited)
        self.register_outputs({"namespace": inside})


def people_spaces(
    name: str,
    people: PeoplePlan,
    members: Callable[[str, Sequence[str]], Sequence[Submitter]],
    *,
    workspace: Workspace,
    block_classes: Sequence[str],
    closed: Sequence[str] = (),
    opts: pulumi.ResourceOptions,
) -> list[TeamSpace]:
    """The submitters of `training`, and the namespaces of teams. name: of the cluster. block_classes: as in
    `SubmitterLimits`.

    members: namespace and its submitters in the spec's terms -> the same as the cloud reports them to the API server.
    """
    groups = {NAMESPACE: people.submitters, **{team.namespace: team.groups for team in people.teams}}
    found = {namespace: members(namespace, named) for namespace, named in groups.items() if named}
    if not found:
        return []
    limits = SubmitterLimits(
        f"{name}-submitter-limits",
        [*dict.fromkeys(one for some in found.values() for one in some)],
        namespaces=people.namespaces,
        block_classes=block_classes,
        opts=opts,
    )
    if people.submitters:
        Submitters(
            f"{name}-submitters",
            found[NAMESPACE],
            namespace=workspace.namespace.object_name,
            may_exec=people.may_exec,
            opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[limits])),
        )
    return [
        TeamSpace(
            f"{name}-team-{team.name}",
            team,
            found[team.namespace],
            workspace=workspace,
            limits=limits,
            may_exec=people.may_exec,
            closed=closed,
            opts=opts,
        )
        for team in people.teams
    ]
