"""What no handler reads of a resource is free by the table, or named, or takes the amount with it."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.core.documents.formats import written
from gpucluster.core.program.resources import Resource
from gpucluster.cost import Estimate
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.pricing.inputs import effect_of, rows
from tests.cost.pricing.mutation import stacks, types, verdicts

CostOf = Callable[..., Estimate]
Make = Callable[..., Resource]

QUEUE = "aws:sqs/queue:Queue"
VOLUME = "aws:ebs/volume:Volume"
MACHINE = "azure-native:compute:VirtualMachine"


def test_every_row_says_why_and_by_which_source() -> None:
    assert {row["effect"] for row in rows()} == {"free", "more", "less"}
    assert [row.place for row in rows() if not row["why"] or not row["source"] or not row["inputs"].split()] == []
    rules = [(row["type"], pattern) for row in rows() for pattern in row["inputs"].split()]
    assert [rule for rule, times in Counter(rules).items() if times > 1] == []


def test_an_input_that_nothing_reads_is_named_once_for_its_type(make: Make, cost_of: CostOf) -> None:
    found = cost_of(
        make(VOLUME, "a", size=10, quota={"a": 1, "b": [2]}),
        make(VOLUME, "b", size=10, quota={"a": 3}, another="x", off=False),
        make("aws:iam/role:Role", quota=1),
    )
    assert [(one.type, one.inputs) for one in found.not_considered] == [(VOLUME, ("another", "quota.a", "quota.b"))]
    assert found.complete


@pytest.mark.parametrize("form", ["table", "markdown", "html", "csv"])
def test_a_report_names_it_in_every_form(make: Make, cost_of: CostOf, form: Any) -> None:
    text = written(report_document(cost_of(make(VOLUME, size=10, quota=1))), form)
    assert VOLUME in text
    assert "quota" in text


def test_json_has_the_inputs_by_type(make: Make, cost_of: CostOf) -> None:
    document = json.loads(written(report_document(cost_of(make(VOLUME, size=10, quota=1))), "json"))
    assert document["not_considered"] == [{"type": VOLUME, "inputs": ["quota"]}]


def test_an_input_that_may_add_to_the_price_is_not_priced(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make(VOLUME, size=10, someTier="x"))
    assert [(item.type, item.between) for item in found.not_priced] == [(VOLUME, None)]
    assert "someTier" in found.not_priced[0].reason
    assert found.monthly.expected == Decimal("1.00")
    assert (found.coverage.priced, found.coverage.not_priced, found.coverage.both) == (1, 1, 1)


def test_an_input_that_may_lower_the_price_bounds_the_lines_by_nothing_and_themselves(
    make: Make, cost_of: CostOf
) -> None:
    found = cost_of(make(VOLUME, size=10, runSchedule="x"))
    gap = found.gaps.expected
    assert (found.monthly.expected, gap.least, gap.most, gap.open) == (0, 0, Decimal("1.00"), 0)


def test_an_option_that_is_on_unless_it_is_turned_off_counts_when_it_is(make: Make, cost_of: CostOf) -> None:
    group = {"instanceType": "m5.xlarge", "instanceCount": 1}

    def emr(**inputs: Any) -> Estimate:
        return cost_of(make("aws:emr/cluster:Cluster", masterInstanceGroup=group, **inputs))

    on, off, as_text = (emr(keepJobFlowAliveWhenNoSteps=value) for value in (True, False, "false"))
    assert emr().lines == on.lines
    assert on.lines
    assert (off.lines, as_text.lines) == ((), ())
    [bounded] = [item for item in off.not_priced if item.between]
    assert bounded.reason == "keepJobFlowAliveWhenNoSteps is False: the cluster ends after its steps, or when it idles"
    assert bounded.between is not None
    assert (bounded.between.least.monthly, bounded.between.most) == (0, on.lines[0])
    other = emr(visibleToAllUsers=False, unhealthyNodeReplacement=False)
    assert (other.lines, other.not_considered) == (on.lines, on.not_considered)


def test_a_template_that_nothing_uses_is_not_named(make: Make, cost_of: CostOf) -> None:
    assert cost_of(make("aws:ec2/launchTemplate:LaunchTemplate", quota=1)).not_considered == ()


def test_inputs_of_a_machine_that_is_stopped_do_not_matter(make: Make, cost_of: CostOf) -> None:
    inputs = {
        "machineType": "n2-standard-4",
        "zone": "us-central1-a",
        "bootDisk": {"initializeParams": {"size": 10}},
        "guestAccelerators": [{"type": "t", "count": 1}],
    }
    running = cost_of(make("gcp:compute/instance:Instance", **inputs))
    stopped = cost_of(make("gcp:compute/instance:Instance", desiredStatus="TERMINATED", **inputs))
    assert running.not_priced
    assert stopped.not_priced == ()
    assert stopped.not_considered == ()


@pytest.mark.parametrize(
    ("type_", "path", "effect"),
    [
        (MACHINE, "licenseType", "less"),
        ("azure-native:containerservice:ManagedCluster", "networkProfile.advancedNetworking.enabled", "more"),
        ("azure-native:containerservice:ManagedCluster", "securityProfile.defender.enabled", "more"),
        ("gcp:compute/instance:Instance", "confidentialInstanceConfig.enableConfidentialCompute", "more"),
        ("azure-native:compute:Disk", "burstingEnabled", "more"),
        ("azure-native:containerservice:ManagedCluster", "addonProfiles.ingressApplicationGateway.enabled", "more"),
        ("azure-native:network:PublicIPAddress", "ddosSettings.protectionMode", "more"),
        ("gcp:dataproc/cluster:Cluster", "clusterConfig.lifecycleConfig.idleDeleteTtl", "less"),
        ("gcp:dataproc/cluster:Cluster", "clusterConfig.gceClusterConfig.confidentialInstanceConfig.on", "more"),
        ("gcp:container/nodePool:NodePool", "nodeConfig.secondaryBootDisks.diskImage", "more"),
        ("gcp:compute/instance:Instance", "resourcePolicies", ""),
        ("aws:rds/instance:Instance", "publiclyAccessible", "more"),
        ("aws:ecs/service:Service", "networkConfiguration.assignPublicIp", "more"),
        ("aws:emr/cluster:Cluster", "keepJobFlowAliveWhenNoSteps", "free"),
        ("aws:emr/cluster:Cluster", "keepJobFlowAliveWhenNoSteps=false", "less"),
        ("aws:emr/cluster:Cluster", "spotOptions=false", ""),
        ("gcp:cloudrunv2/service:Service", "template.containers.resources.cpuIdle=false", "more"),
        ("azure-native:storage:StorageAccount", "isHnsEnabled", "more"),
        ("aws:kms/key:Key", "rotationPeriodInDays", "more"),
        ("aws:ec2/fleet:Fleet", "spotOptions.maxTotalPrice", "less"),
        ("aws:ec2/fleet:Fleet", "terminateInstances", "free"),
        ("aws:wafv2/webAcl:WebAcl", "rules.action.captcha.customRequestHandling", "more"),
        (QUEUE, "tags.team", "free"),
        (QUEUE, "kmsMasterKeyId", "free"),
        (QUEUE, "somethingElse", ""),
    ],
)
def test_the_first_row_that_fits_counts(type_: str, path: str, effect: str) -> None:
    name, _, off = path.partition("=")
    assert effect_of(type_, name, off == "false")[0] == effect


def test_every_type_has_a_stack_in_which_its_inputs_are_set() -> None:
    assert {*types()} - {*stacks()} == set()


EVERY = 60


def test_of_a_sample_of_the_inputs_of_every_type_each_moves_an_amount_or_is_named_or_free() -> None:
    assert [(type_, path) for type_, path, found in verdicts(EVERY) if found == "silent"] == []


@pytest.mark.slow
def test_each_input_of_every_priced_type_moves_an_amount_or_is_named_or_free() -> None:
    silent = [(type_, path) for type_, path, found in verdicts() if found == "silent"]
    assert [*itertools.islice(silent, 20)] == []
