"""What Amazon Managed Service for Prometheus asks of collectors, rules and alert managers.

Sources: Amazon Managed Service for Prometheus user guide, AMP-collector-how-to, AMP-Ruler, AMP-alertmanager-config and
AMP-alertmanager-receiver-config; CloudFormation user guide, AWS::APS::Scraper EksConfiguration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import yaml

from gpucluster.sandbox.clouds.aws.model import Thing
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule
from gpucluster.sandbox.type_guards import items, mapping

__all__: list[str] = []

_SCRAPER: Final = "aws:amp/scraper:Scraper"
_RULES: Final = "aws:amp/ruleGroupNamespace:RuleGroupNamespace"
_MANAGER: Final = "aws:amp/alertManagerDefinition:AlertManagerDefinition"
_NEVER: Final = frozenset({"api_url", "http_config"})
_WORKSPACE: Final = "aws:amp/workspace:Workspace"
_MOST_SUBNETS: Final = 5


@rule(_SCRAPER)
def the_cluster_answers_inside_the_network(thing: Thing) -> None:
    """The cluster exists, and its API answers inside its network: that is how a collector finds pods."""
    arn = _eks(thing).get("clusterArn")
    if arn is None:
        return
    cluster = next((one for one in thing.others("aws:eks/cluster:Cluster", arn) if one.outputs["arn"] == arn), None)
    if cluster is None:
        raise _refused(thing, f"The EKS cluster {arn} does not exist")
    if not mapping(cluster.outputs["vpcConfig"]).get("endpointPrivateAccess"):
        raise _refused(thing, f"The EKS cluster {arn} must have private access to its endpoint enabled")


@rule(_SCRAPER)
def subnets_lie_in_two_zones(thing: Thing) -> None:
    """One to five subnets, which exist, in two zones at least."""
    ids = items(_eks(thing).get("subnetIds"))
    if len(ids) > _MOST_SUBNETS:
        raise _refused(thing, f"subnetIds has {len(ids)} members; at most {_MOST_SUBNETS}")
    subnets = {str(id_): thing.other("aws:ec2/subnet:Subnet", id_) for id_ in ids}
    missing = [id_ for id_, subnet in subnets.items() if subnet is None]
    if missing:
        raise _refused(thing, f"The subnet ID '{missing[0]}' does not exist")
    if ids and len({subnet.outputs["availabilityZone"] for subnet in subnets.values() if subnet}) == 1:
        raise _refused(thing, "Subnets must be in at least two Availability Zones")


@rule(_SCRAPER)
def it_reads_something(thing: Thing) -> None:
    """The configuration is one of Prometheus: YAML with a list of jobs, each with a name of its own."""
    operation = "CreateScraper"
    jobs = items(_yaml(thing, operation, thing.inputs.get("scrapeConfiguration")).get("scrape_configs"))
    names = [mapping(job).get("job_name") for job in jobs]
    if not jobs or not all(names) or len(set(names)) < len(names):
        raise _refused(thing, "Scrape configuration needs scrape_configs, each with a job_name of its own")


@rule(_SCRAPER)
def what_it_reads_has_a_place(thing: Thing) -> None:
    """The workspace exists in the region."""
    arn = mapping(mapping(thing.inputs.get("destination")).get("amp")).get("workspaceArn")
    if arn is not None and arn not in [one.outputs["arn"] for one in thing.others(_WORKSPACE, arn)]:
        raise _refused(thing, f"The workspace {arn} does not exist")


@rule(_RULES)
def rules_stand_in_groups(thing: Thing) -> None:
    """In a workspace that exists: YAML with groups that have names, whose rules have an expression and one of `record`
    and `alert`."""
    operation = "CreateRuleGroupsNamespace"
    _workspace_exists(thing, operation)
    groups = [mapping(group) for group in items(_yaml(thing, operation, thing.inputs.get("data")).get("groups"))]
    if not groups or not all(group.get("name") for group in groups):
        raise _refused(thing, "a rules file has groups, each with a name", operation)
    for group in groups:
        for one in map(mapping, items(group.get("rules"))):
            if not one.get("expr") or ("record" in one) is ("alert" in one):
                raise _refused(thing, f"group {group['name']!r} has a rule that is no rule: {dict(one)}", operation)


@rule(_MANAGER)
def alerts_go_to_topics_alone(thing: Thing) -> None:
    """In a workspace that exists: YAML whose alertmanager_config is a text in YAML, with a route to a receiver, and
    receivers that are topics, each with the region that signatures are for.
    """
    operation = "CreateAlertManagerDefinition"
    _workspace_exists(thing, operation)
    outer = _yaml(thing, operation, thing.inputs.get("definition"))
    config = _yaml(thing, operation, outer.get("alertmanager_config"))
    receivers = [mapping(one) for one in items(config.get("receivers"))]
    if mapping(config.get("route")).get("receiver") not in [one.get("name") for one in receivers]:
        raise _refused(thing, "route has no receiver that is one of receivers", operation)
    for receiver in receivers:
        for one in map(mapping, items(receiver.get("sns_configs"))):
            if not one.get("topic_arn") or not mapping(one.get("sigv4")).get("region") or _NEVER & one.keys():
                raise _refused(thing, f"receiver {receiver['name']!r} has no such sns_config: {dict(one)}", operation)
        if others := receiver.keys() - {"name", "sns_configs"}:
            raise _refused(thing, f"receiver {receiver['name']!r} has {min(others)}, which is not supported", operation)


def _workspace_exists(thing: Thing, operation: str) -> None:
    workspace = thing.inputs.get("workspaceId")
    if thing.other(_WORKSPACE, workspace) is None:
        message = f"Workspace not found: {workspace}"
        raise refused(thing, f"amp: {operation}", 404, "ResourceNotFoundException", message)


def _eks(thing: Thing) -> Mapping[str, Any]:
    return mapping(mapping(thing.inputs.get("source")).get("eks"))


def _yaml(thing: Thing, operation: str, text: Any) -> Mapping[str, Any]:
    """The mapping that a text holds."""
    try:
        found: Any = yaml.safe_load(text) if isinstance(text, str) else None
    except yaml.YAMLError as error:
        raise _refused(thing, f"not valid YAML: {error}", operation) from None
    if not isinstance(found, dict):
        raise _refused(thing, "not a mapping in YAML", operation)
    return mapping(found)  # pyright: ignore[reportUnknownArgumentType]


def _refused(thing: Thing, message: str, operation: str = "CreateScraper") -> Exception:
    return refused(thing, f"amp: {operation}", 400, "ValidationException", message)
