"""Amazon Managed Service for Prometheus: what it makes, and what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]

WORKSPACE = "amp/workspace:Workspace"
SCRAPER = "amp/scraper:Scraper"
RULES = "amp/ruleGroupNamespace:RuleGroupNamespace"
UNIQUE = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
JOBS = json.dumps({"scrape_configs": [{"job_name": "pods"}]})


@pytest.fixture
def subnets(create: Create) -> dict[str, str]:
    """Two in zone a, one in zone b."""
    vpc = create("ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16").id
    zones = (("a", "us-east-1a"), ("a2", "us-east-1a"), ("b", "us-east-1b"))
    return {
        name: create("ec2/subnet:Subnet", name, vpcId=vpc, cidrBlock=f"10.0.{at}.0/24", availabilityZone=zone).id
        for at, (name, zone) in enumerate(zones)
    }


@pytest.fixture
def scraper(create: Create, subnets: dict[str, str]) -> Callable[..., dict[str, Any]]:
    """Inputs of a collector that would be taken, with some of them changed. private: whether the API is."""

    def inputs(private: bool = True, names: tuple[str, ...] = ("a", "b"), **changes: Any) -> dict[str, Any]:
        config = {"subnetIds": [subnets["a"], subnets["b"]], "endpointPrivateAccess": private}
        cluster = create("eks/cluster:Cluster", "c", name="c", roleArn="arn", vpcConfig=config)
        workspace = create(WORKSPACE)
        return {
            "source": {
                "eks": {
                    "clusterArn": cluster.outputs["arn"],
                    "subnetIds": [subnets.get(name, name) for name in names],
                    "securityGroupIds": ["sg-1"],
                }
            },
            "destination": {"amp": {"workspaceArn": workspace.outputs["arn"]}},
            "scrapeConfiguration": JOBS,
            **changes,
        }

    return inputs


def test_a_workspace_has_an_endpoint_that_leads_nowhere(create: Create) -> None:
    made = create(WORKSPACE)
    assert re.fullmatch(f"ws-{UNIQUE}", made.id)
    assert made.outputs["arn"] == f"arn:aws:aps:us-east-1:000000000000:workspace/{made.id}"
    assert made.outputs["prometheusEndpoint"] == (
        f"https://aps-workspaces.us-east-1.sandbox.invalid/workspaces/{made.id}/"
    )


def test_a_collector_gets_a_role_of_awss(create: Create, scraper: Callable[..., dict[str, Any]]) -> None:
    made = create(SCRAPER, **scraper())
    assert re.fullmatch(f"s-{UNIQUE}", made.id)
    assert re.search(r"aws-service-role/scraper\.aps\.amazonaws\.com/", made.outputs["roleArn"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"private": False}, "must have private access to its endpoint enabled"),
        ({"names": ("a", "a2")}, "Subnets must be in at least two Availability Zones"),
        ({"names": ("a", "subnet-gone")}, "The subnet ID 'subnet-gone' does not exist"),
        ({"names": ("a", "b", "1", "2", "3", "4")}, "subnetIds has 6 members; at most 5"),
        ({"scrapeConfiguration": "scrape_configs: ["}, "not valid YAML"),
        ({"scrapeConfiguration": "- job"}, "not a mapping in YAML"),
        ({"scrapeConfiguration": "{}"}, "needs scrape_configs, each with a job_name of its own"),
        (
            {"scrapeConfiguration": json.dumps({"scrape_configs": [{"job_name": "a"}, {"job_name": "a"}]})},
            "needs scrape_configs, each with a job_name of its own",
        ),
        (
            {"destination": {"amp": {"workspaceArn": "arn:aws:aps:us-east-1:000000000000:workspace/ws-gone"}}},
            "workspace/ws-gone does not exist",
        ),
        (
            {"source": {"eks": {"clusterArn": "arn:aws:eks:us-east-1:000000000000:cluster/gone", "subnetIds": []}}},
            "cluster/gone does not exist",
        ),
    ],
)
def test_a_collector_that_could_read_nothing_is_refused(
    create: Create, scraper: Callable[..., dict[str, Any]], changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(CloudError, match=re.escape(said)):
        create(SCRAPER, **scraper(**changes))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("groups: [", "not valid YAML"),
        ("rules: []", "a rules file has groups, each with a name"),
        ("groups: [{rules: []}]", "a rules file has groups, each with a name"),
        ("groups: [{name: g, rules: [{alert: A}]}]", "group 'g' has a rule that is no rule"),
        ("groups: [{name: g, rules: [{expr: up}]}]", "group 'g' has a rule that is no rule"),
        ("groups: [{name: g, rules: [{expr: up, alert: A, record: r}]}]", "group 'g' has a rule that is no rule"),
    ],
)
def test_a_file_that_holds_no_rules_is_refused(create: Create, data: str, said: str) -> None:
    workspace = create(WORKSPACE).id
    with pytest.raises(CloudError, match=re.escape(said)):
        create(RULES, name="n", workspaceId=workspace, data=data)


def test_rules_stand_in_a_workspace_and_are_named_by_it(create: Create) -> None:
    data = "groups: [{name: g, rules: [{record: r, expr: up}]}]"
    with pytest.raises(CloudError, match=r"404.*ResourceNotFoundException: Workspace not found: ws-gone"):
        create(RULES, name="n", workspaceId="ws-gone", data=data)
    workspace = create(WORKSPACE).id
    made = create(RULES, name="n", workspaceId=workspace, data=data)
    assert made.id == f"arn:aws:aps:us-east-1:000000000000:rulegroupsnamespace/{workspace}/n"


MANAGER = "amp/alertManagerDefinition:AlertManagerDefinition"
WAY = {"topic_arn": "arn:aws:sns:us-east-1:000000000000:t", "sigv4": {"region": "us-east-1"}}


def definition(*receivers: dict[str, Any], to: str = "people") -> str:
    return json.dumps({"alertmanager_config": json.dumps({"route": {"receiver": to}, "receivers": receivers})})


def test_an_alert_manager_has_the_id_of_its_workspace(create: Create) -> None:
    workspace = create(WORKSPACE)
    given = definition({"name": "people", "sns_configs": [WAY]})
    assert create(MANAGER, workspaceId=workspace.id, definition=given).id == workspace.id


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("[]", "not a mapping in YAML"),
        ("alertmanager_config: {route: {receiver: people}}", "not a mapping in YAML"),
        (definition({"name": "others"}), "route has no receiver that is one of receivers"),
        (
            definition({"name": "people", "webhook_configs": [{"url": "https://a.example"}]}),
            "receiver 'people' has webhook_configs, which is not supported",
        ),
        (
            definition({"name": "people", "sns_configs": [{**WAY, "sigv4": {}}]}),
            "receiver 'people' has no such sns_config",
        ),
        (
            definition({"name": "people", "sns_configs": [{**WAY, "api_url": "https://a.example"}]}),
            "receiver 'people' has no such sns_config",
        ),
    ],
)
def test_an_alert_manager_that_sends_to_no_topic_is_refused(create: Create, given: str, said: str) -> None:
    with pytest.raises(CloudError, match=said):
        create(MANAGER, workspaceId=create(WORKSPACE).id, definition=given)


def test_an_alert_manager_needs_its_workspace(create: Create) -> None:
    with pytest.raises(CloudError, match="Workspace not found: ws-gone"):
        create(MANAGER, workspaceId="ws-gone", definition=definition({"name": "people"}))
