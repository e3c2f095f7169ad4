"""gpu-machines-unread: what starts machines, and what only has to do with them."""

from __future__ import annotations

from gpucluster.policies.evaluate import evaluate
from gpucluster.policies.rules import disks_encrypted, gpu_machines_unread, label_values


def _told(program, *rules):
    outcomes = evaluate([*rules, gpu_machines_unread.RULE], program.stack().resources, today=program.today)
    [told] = [outcome for outcome in outcomes if outcome.rule is gpu_machines_unread.RULE]
    return [(violation.resource.name, violation.what) for violation in told.violations]


def test_what_leads_to_a_machine_that_is_read_starts_none(program):
    program.add("aws:ec2/instance:Instance", "gpu", {"instanceType": "g5.xlarge"})
    program.add("aws:ec2/eip:Eip", "address", {"instance": program.unknown}, instance=["gpu"])
    program.add("aws:route53/record:Record", "record", {"records": program.unknown}, records=["gpu"])
    assert _told(program, disks_encrypted.RULE) == []


def test_what_starts_machines_from_a_template_is_told_with_each_rule_once(program):
    program.add("aws:ec2/launchTemplate:LaunchTemplate", "gpu", {"instanceType": "g5.xlarge"})
    program.add("aws:batch/computeEnvironment:ComputeEnvironment", "batch", {"a": program.unknown}, a=["gpu"])
    [(name, what)] = _told(program, disks_encrypted.RULE, label_values.RULE)
    assert (name, what.endswith("which these rules do not read: disks-encrypted")) == ("batch", True)


def test_a_tag_that_names_a_machine_starts_none(program):
    program.add("aws:batch/jobQueue:JobQueue", "queue", {"tags": {"instance_type": "p5.48xlarge"}})
    assert _told(program, disks_encrypted.RULE) == []
