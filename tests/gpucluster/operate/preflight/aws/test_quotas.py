"""Limit, present use, and what is left for the stack. Botocore's model holds requests and answers."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.answers import Verdict
from gpucluster.operate.preflight.aws.own import Own
from gpucluster.operate.preflight.aws.quotas import ask_blocks, ask_quota
from gpucluster.operate.preflight.aws.requests import one_by_one
from tests.gpucluster.operate.preflight.aws.asked import question, said
from tests.gpucluster.operate.preflight.aws.stubs import Stubs

METRIC = {
    "MetricNamespace": "AWS/Usage",
    "MetricName": "ResourceCount",
    "MetricDimensions": {"Class": "P/OnDemand", "Resource": "vCPU", "Service": "EC2", "Type": "Resource"},
    "MetricStatisticRecommendation": "Maximum",
}
TAGS = [{"Key": "pulumi-stack", "Value": "aws-trial"}, {"Key": "Name", "Value": "trial-training-nodes"}]
OTHERS = [{"Key": "pulumi-stack", "Value": "aws-trial"}, {"Key": "Name", "Value": "other-nodes"}]


def quota(code: str, needed: int, *, service: str = "ec2", reserved: int = 0, later: int = 0) -> Question:
    details = {"service": service, "reserved": str(reserved), "later": str(later)}
    return Question(about="quota", subject=code, needed=needed, unit="units", place="us-east-1", details=details)


def limit(stubs: Stubs, code: str, value: float, *, service: str = "ec2", adjustable: bool = True) -> None:
    answer = {"QuotaCode": code, "QuotaName": "Name of it", "Value": value, "Adjustable": adjustable}
    request = {"ServiceCode": service, "QuotaCode": code}
    stubs.add("service-quotas", "get_service_quota", {"Quota": {**answer, "UsageMetric": METRIC}}, request)


def use(stubs: Stubs, *values: float) -> None:
    stubs.add("cloudwatch", "get_metric_data", {"MetricDataResults": [{"Id": "use", "Values": list(values)}]})


def machines(stubs: Stubs, *found: dict[str, Any]) -> None:
    stubs.add("ec2", "describe_instances", {"Reservations": [{"Instances": list(found)}]})


def machine(tags: Any = TAGS, **more: Any) -> dict[str, Any]:
    cpus = {"CoreCount": 96, "ThreadsPerCore": 2}
    return {"InstanceId": "i-1", "InstanceType": "p5.48xlarge", "CpuOptions": cpus, "Tags": tags, **more}


def requests(stubs: Stubs, *found: tuple[float, str]) -> None:
    history = [{"DesiredValue": value, "Status": status} for value, status in found]
    stubs.add("service-quotas", "list_requested_service_quota_change_history_by_quota", {"RequestedQuotas": history})


def test_a_quota_that_is_large_enough_is_fine(stubs: Stubs, caller: Caller, own: Own) -> None:
    limit(stubs, "L-417A185B", 1152)
    use(stubs)
    answer = ask_quota(caller, own, quota("L-417A185B", 960))
    assert said(answer) == ("fine", "1,152 units, none in use")
    row = {"cloud": "aws", "name": "L-417A185B", "region": "us-east-1", "limit": 1152, "usage": 0}
    assert answer.scenario == {"quotas": [row]}


def test_use_of_others_leaves_less(stubs: Stubs, caller: Caller, own: Own) -> None:
    limit(stubs, "L-417A185B", 1152)
    use(stubs, 384, 192)
    machines(stubs, machine(OTHERS))
    requests(stubs, (1000, "DENIED"))
    answer = ask_quota(caller, own, quota("L-417A185B", 960))
    assert said(answer) == ("stops up", "1,152 units, 384 in use")
    assert answer.fix == 'ask for 1,344 of "Name of it" (L-417A185B) in us-east-1'
    assert answer.command == (
        "aws service-quotas request-service-quota-increase --region us-east-1 --service-code ec2 --quota-code "
        "L-417A185B --desired-value 1344"
    )


@pytest.mark.parametrize(("nodes", "wanted"), [(5, 5), (4, 6)])
def test_the_machines_of_the_stack_itself_need_no_room_again(
    nodes: int, wanted: int, stubs: Stubs, caller: Caller, own: Own
) -> None:
    """Also when it grows."""
    limit(stubs, "L-417A185B", wanted * 192)
    use(stubs, nodes * 192)
    machines(stubs, *[machine() for _ in range(nodes)], machine(InstanceLifecycle="spot"))
    answer = ask_quota(caller, own, quota("L-417A185B", wanted * 192))
    used = nodes * 192
    assert said(answer) == ("fine", f"{wanted * 192:,} units, {used} in use, of it {used} by this stack")
    assert answer.scenario["quotas"][0]["usage"] == 0


def test_the_scenario_tells_the_use_of_other_stacks_apart(stubs: Stubs, caller: Caller, own: Own) -> None:
    """The sandbox may have them too. Machines in a reservation of theirs count in none of its quotas."""
    second = [{"Key": "pulumi-stack", "Value": "second"}, {"Key": "Name", "Value": "trial-training-nodes"}]
    limit(stubs, "L-417A185B", 1920)
    use(stubs, 960)
    found = [machine(), machine(OTHERS), machine(second), machine(second), machine(second, CapacityReservationId="cr")]
    machines(stubs, *found)
    answer = ask_quota(caller, own, quota("L-417A185B", 960))
    assert said(answer) == ("fine", "1,920 units, 960 in use, of it 192 by this stack")
    [row] = answer.scenario["quotas"]
    assert (row["usage"], row["stacks"]) == (768, {"second": 384})


def test_what_a_reservation_holds_counts_already(stubs: Stubs, caller: Caller, own: Own) -> None:
    limit(stubs, "L-417A185B", 960)
    use(stubs, 960)
    machines(stubs, machine(CapacityReservationId="cr-1"))
    assert said(ask_quota(caller, own, quota("L-417A185B", 960, reserved=960))) == ("fine", "960 units, 960 in use")


def test_machines_in_an_open_reservation_of_others_are_own(stubs: Stubs, caller: Caller, own: Own) -> None:
    limit(stubs, "L-417A185B", 192)
    use(stubs, 192)
    block = machine(InstanceLifecycle="capacity-block", CapacityReservationId="cr-2")
    machines(stubs, machine(CapacityReservationId="cr-1"), block)
    found = ("fine", "192 units, 192 in use, of it 192 by this stack")
    assert said(ask_quota(caller, own, quota("L-417A185B", 192))) == found


def test_pools_that_grow_later_warn(stubs: Stubs, caller: Caller, own: Own) -> None:
    limit(stubs, "L-417A185B", 960)
    use(stubs)
    requests(stubs)
    answer = ask_quota(caller, own, quota("L-417A185B", 1088, later=128))
    assert (answer.verdict, answer.blocks) == (Verdict.WARNS, False)
    assert answer.command.endswith("--desired-value 1088")


def test_an_open_request_is_waited_for(stubs: Stubs, caller: Caller, own: Own) -> None:
    limit(stubs, "L-417A185B", 0)
    use(stubs)
    requests(stubs, (960, "CASE_OPENED"))
    answer = ask_quota(caller, own, quota("L-417A185B", 960))
    assert said(answer) == ("stops up", "0 units, none in use; a request for 960 is open")
    assert (answer.fix, answer.command) == ("wait until AWS has granted it", "")


def test_a_quota_that_aws_does_not_raise_has_no_request(stubs: Stubs, caller: Caller, own: Own) -> None:
    limit(stubs, "L-BD136F5B", 450, service="eks", adjustable=False)
    answer = ask_quota(caller, own, quota("L-BD136F5B", 500, service="eks"))
    assert (answer.verdict, answer.command) == (Verdict.STOPS, "")


def test_without_an_applied_value_the_default_counts(stubs: Stubs, caller: Caller, own: Own) -> None:
    stubs.fail("service-quotas", "get_service_quota", "NoSuchResourceException")
    found = {"Quota": {"QuotaCode": "L-BD136F5B", "Value": 450.0}}
    stubs.add("service-quotas", "get_aws_default_service_quota", found)
    assert said(ask_quota(caller, own, quota("L-BD136F5B", 5, service="eks"))) == ("fine", "450 units, none in use")


@pytest.mark.parametrize(("value", "verdict"), [(2000, "can't tell"), (100, "stops up")])
def test_unknown_use_is_not_fine(value: int, verdict: str, stubs: Stubs, caller: Caller, own: Own) -> None:
    """Even without any use, a limit below the need is too small."""
    limit(stubs, "L-417A185B", value)
    stubs.fail(
        "cloudwatch", "get_metric_data", "AccessDenied", "is not authorized to perform: cloudwatch:GetMetricData"
    )
    if verdict == "stops up":
        requests(stubs)
    answer = ask_quota(caller, own, quota("L-417A185B", 960))
    assert (str(answer.verdict), answer.blocks) == (verdict, True)
    assert ("cloudwatch:GetMetricData" in answer.found) is (verdict == "can't tell")


def test_a_quota_without_a_known_code_is_not_fine(caller: Caller, own: Own) -> None:
    [answer] = one_by_one(lambda one: ask_quota(caller, own, one))([quota("P6 spot requests", 192)])
    assert said(answer) == ("can't tell", "no source gives the code of this quota")


def test_a_throttled_quota_leaves_the_others(stubs: Stubs, caller: Caller, own: Own) -> None:
    ask = one_by_one(lambda one: ask_quota(caller, own, one))
    stubs.fail("service-quotas", "get_service_quota", "TooManyRequestsException")
    [throttled] = ask([quota("L-417A185B", 960)])
    limit(stubs, "L-BD136F5B", 450, service="eks")
    [other] = ask([quota("L-BD136F5B", 5, service="eks")])
    assert said(throttled) == ("can't tell", "AWS throttles GetServiceQuota (TooManyRequestsException)")
    assert said(other) == ("fine", "450 units, none in use")


def test_gib_of_lustre_are_counted_by_deployment_over_pages(stubs: Stubs, caller: Caller, own: Own) -> None:
    def system(gib: int, deployment: str, tags: Any = ()) -> dict[str, Any]:
        lustre = {"DeploymentType": deployment}
        return {"StorageCapacity": gib, "LustreConfiguration": lustre, **({"Tags": list(tags)} if tags else {})}

    limit(stubs, "L-8F1B9C74", 100_800, service="fsx")
    first = [system(50_400, "PERSISTENT_2"), system(2_400, "PERSISTENT_1"), {"StorageCapacity": 32}]
    stubs.add("fsx", "describe_file_systems", {"FileSystems": first, "NextToken": "more"})
    stubs.add("fsx", "describe_file_systems", {"FileSystems": [system(24_000, "PERSISTENT_2", TAGS)]})
    answer = ask_quota(caller, own, quota("L-8F1B9C74", 26_400, service="fsx"))
    assert said(answer) == ("fine", "100,800 units, 74,400 in use, of it 24,000 by this stack")


def test_interfaces_of_own_machines_are_own(stubs: Stubs, caller: Caller, own: Own) -> None:
    limit(stubs, "L-DF5E4CA3", 166, service="vpc")
    found = [{"Attachment": {"InstanceId": "i-1"}}] * 165 + [{}]
    stubs.add("ec2", "describe_network_interfaces", {"NetworkInterfaces": found})
    machines(stubs, machine())
    answer = ask_quota(caller, own, quota("L-DF5E4CA3", 165, service="vpc"))
    assert said(answer) == ("fine", "166 units, 166 in use, of it 165 by this stack")


@pytest.mark.parametrize(("held", "verdict"), [(64, "fine"), (8, "stops up")])
def test_blocks_are_counted_in_the_account(held: int, verdict: str, stubs: Stubs, caller: Caller) -> None:
    blocks = [
        {"ReservationType": "capacity-block", "State": "active", "TotalInstanceCount": held},
        {"ReservationType": "capacity-block", "State": "expired", "TotalInstanceCount": 64},
        {"ReservationType": "default", "State": "active", "TotalInstanceCount": 64},
    ]
    stubs.add("ec2", "describe_capacity_reservations", {"CapacityReservations": blocks})
    answer = ask_blocks(caller, question("blocks", "instances in capacity blocks", 16))
    assert said(answer) == (verdict, f"{held} of 256 instances in blocks that this login sees")


def test_networks_and_addresses_are_counted_on_a_server(moto: Caller) -> None:
    """Moto has VPC quotas, one default network, and no address."""
    ec2: Any = boto3.client("ec2", "us-east-1")
    mine = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    ec2.create_tags(Resources=[mine], Tags=TAGS)
    other = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    answer = ask_quota(moto, Own(moto, name="trial", stack="aws-trial"), quota("L-F678F1CE", 1, service="vpc"))
    assert said(answer) == ("fine", "5 units, 3 in use, of it 1 by this stack")
    full = ask_quota(moto, Own(moto, name="new", stack="new"), quota("L-F678F1CE", 3, service="vpc"))
    for id_ in (mine, other):
        ec2.delete_vpc(VpcId=id_)
    assert (str(full.verdict), full.command.split()[-1]) == ("stops up", "6")
