"""Requirements of Amazon Managed Service for Prometheus for collectors, rules and alert managers.

Sources: Amazon Managed Service for Prometheus user guide, AMP-collector-how-to, AMP-Ruler, AMP-alertmanager-config and
AMP-alertmanager-receiver-config; CloudFormation user guide, AWS::APS::Scraper EksConfiguration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import yaml

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule

_SCRAPER: Final = "aws:amp/scraper:Scraper"
_RULES: Final = "aws:amp/ruleGroupNamespace:RuleGroupNamespace"
_MANAGER: Final = "aws:amp/alertManagerDefinition:AlertManagerDefinition"
_NEVER: Final = frozenset({"api_url", "http_config"})
_WORKSPACE: Final = "aws:amp/workspace:Workspace"
_MOST_SUBNETS: Final = 5


@rule(_SCRAPER)
def the_cluster_answers_inside_the_network(managed: ManagedResource) -> None:
    """The cluster exists, and its API is reachable inside its network: a collector finds pods through it."""
    arn = _eks(managed).get("clusterArn")
    if arn is None:
        return
    cluster = next((one for one in managed.others("aws:eks/cluster:Cluster", arn) if one.outputs["arn"] == arn), None)
    if cluster is None:
        raise _refused(managed, f"The EKS cluster {arn} does not exist")
    if not mapping(cluster.outputs["vpcConfig"]).get("endpointPrivateAccess"):
        raise _refused(managed, f"The EKS cluster {arn} must have private access to its endpoint enabled")


@rule(_SCRAPER)
def subnets_lie_in_two_zones(managed: ManagedResource) -> None:
    """One to five existing subnets, in at least two zones."""
    ids = items(_eks(managed).get("subnetIds"))
    if len(ids) > _MOST_SUBNETS:
        raise _refused(managed, f"subnetIds has {len(ids)} members; at most {_MOST_SUBNETS}")
    subnets = {str(id_): managed.other("aws:ec2/subnet:Subnet", id_) for id_ in ids}
    missing = [id_ for id_, subnet in subnets.items() if subnet is None]
    if missing:
        raise _refused(managed, f"The subnet ID '{missing[0]}' does not exist")
    if ids and len({subnet.outputs["availabilityZone"] for subnet in subnets.values() if subnet}) == 1:
        raise _refused(managed, "Subnets must be in at least two Availability Zones")


@rule(_SCRAPER)
def it_reads_something(managed: ManagedResource) -> None:
    """The configuration is one of Prometheus: YAML with a list of jobs, each with its own name."""
    operation = "CreateScraper"
    jobs = items(_yaml(managed, operation, managed.inputs.get("scrapeConfiguration")).get("scrape_configs"))
    names = [mapping(job).get("job_name") for job in jobs]
    if not jobs or not all(names) or len(set(names)) < len(names):
        raise _refused(managed, "Scrape configuration needs scrape_configs, each with a job_name of its own")


@rule(_SCRAPER)
def scraped_metrics_have_a_workspace(managed: ManagedResource) -> None:
    """The workspace exists in the region."""
    arn = mapping(mapping(managed.inputs.get("destination")).get("amp")).get("workspaceArn")
    if arn is not None and arn not in [one.outputs["arn"] for one in managed.others(_WORKSPACE, arn)]:
        raise _refused(managed, f"The workspace {arn} does not exist")


@rule(_RULES)
def rules_are_in_groups(managed: ManagedResource) -> None:
    """In an existing workspace: YAML with named groups, whose rules have an expression and either `record` or
    `alert`.
    """
    operation = "CreateRuleGroupsNamespace"
    _workspace_exists(managed, operation)
    groups = [mapping(group) for group in items(_yaml(managed, operation, managed.inputs.get("data")).get("groups"))]
    if not groups or not all(group.get("name") for group in groups):
        raise _refused(managed, "a rules file has groups, each with a name", operation)
    for group in groups:
        for one in map(mapping, items(group.get("rules"))):
            if not one.get("expr") or ("record" in one) is ("alert" in one):
                raise _refused(managed, f"group {group['name']!r} has a rule that is no rule: {dict(one)}", operation)


@rule(_MANAGER)
def alerts_go_to_topics_alone(managed: ManagedResource) -> None:
    """In an existing workspace: YAML whose alertmanager_config is a text in YAML, with a route to a receiver, and
    receivers that are topics, each with its region for signatures.
    """
    operation = "CreateAlertManagerDefinition"
    _workspace_exists(managed, operation)
    outer = _yaml(managed, operation, managed.inputs.get("definition"))
    config = _yaml(managed, operation, outer.get("alertmanager_config"))
    receivers = [mapping(one) for one in items(config.get("receivers"))]
    if mapping(config.get("route")).get("receiver") not in [one.get("name") for one in receivers]:
        raise _refused(managed, "route has no receiver that is one of receivers", operation)
    for receiver in receivers:
        for one in map(mapping, items(receiver.get("sns_configs"))):
            if not one.get("topic_arn") or not mapping(one.get("sigv4")).get("region") or _NEVER & one.keys():
                raise _refused(managed, f"receiver {receiver['name']!r} has no such sns_config: {dict(one)}", operation)
        if others := receiver.keys() - {"name", "sns_configs"}:
            raise _refused(
                managed, f"receiver {receiver['name']!r} has {min(others)}, which is not supported", operation
            )


def _workspace_exists(managed: ManagedResource, operation: str) -> None:
    workspace = managed.inputs.get("workspaceId")
    if managed.other(_WORKSPACE, workspace) is None:
        message = f"Workspace not found: {workspace}"
        raise refused(managed, f"amp: {operation}", 404, "ResourceNotFoundException", message)


def _eks(managed: ManagedResource) -> Mapping[str, Any]:
    return mapping(mapping(managed.inputs.get("source")).get("eks"))


def _yaml(managed: ManagedResource, operation: str, text: Any) -> Mapping[str, Any]:
    """The mapping in a text."""
    try:
        found: Any = yaml.safe_load(text) if isinstance(text, str) else None
    except yaml.YAMLError as error:
        raise _refused(managed, f"not valid YAML: {error}", operation) from None
    if not isinstance(found, dict):
        raise _refused(managed, "not a mapping in YAML", operation)
    return mapping(found)  # pyright: ignore[reportUnknownArgumentType]


def _refused(managed: ManagedResource, message: str, operation: str = "CreateScraper") -> Exception:
    return refused(managed, f"amp: {operation}", 400, "ValidationException", message)
