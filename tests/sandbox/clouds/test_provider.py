"""The engine's protocol, asked directly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, status_pb2

from gpucluster.sandbox.clouds.aws.cloud import Aws
from gpucluster.sandbox.clouds.azure.cloud import Azure
from gpucluster.sandbox.clouds.events.scenario import Disturbance, Scenario
from gpucluster.sandbox.clouds.events.weather import Weather
from gpucluster.sandbox.clouds.provider import Provider
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.values import UNKNOWN, from_struct, to_struct
from tests.says import Says

URN = "urn:pulumi:dev::small::aws:ec2/vpc:Vpc::net"
INPUTS = {"cidrBlock": "10.0.0.0/16"}


class AbortedError(Exception):
    """What a call ends with."""


class Context:
    """The part of a gRPC context that the provider uses."""

    trailers: Mapping[str, bytes]

    def set_trailing_metadata(self, metadata: Iterable[tuple[str, bytes]]) -> None:
        self.trailers = dict(metadata)

    def abort(self, code: grpc.StatusCode, message: str) -> NoReturn:
        raise AbortedError(code, message)


@pytest.fixture
def weather() -> Weather:
    """What the providers of a command share."""
    return Weather(Scenario())


@pytest.fixture
def provider(schemas: dict[str, Schema], ledger: Ledger, weather: Weather) -> Provider:
    """The provider `aws` in us-east-1."""
    made = Provider(Aws(), schemas["aws"], ledger, weather)
    made.Configure(provider_pb2.ConfigureRequest(args=to_struct({"region": "us-east-1"})), Context())
    return made


def create(provider: Provider, inputs: dict[str, Any], *, preview: bool = False) -> Any:
    request = provider_pb2.CreateRequest(urn=URN, properties=to_struct(inputs), preview=preview)
    return provider.Create(request, Context())


def diff(provider: Provider, old: dict[str, Any], new: dict[str, Any]) -> Any:
    made = create(provider, old)
    request = provider_pb2.DiffRequest(
        id=made.id, urn=URN, olds=made.properties, old_inputs=to_struct(old), news=to_struct(new)
    )
    return provider.Diff(request, Context())


def test_a_preview_makes_nothing_and_leaves_no_output_out(provider: Provider, ledger: Ledger) -> None:
    answer = create(provider, INPUTS, preview=True)
    outputs = from_struct(answer.properties)
    assert (answer.id, ledger.all()) == ("", [])
    assert outputs["cidrBlock"] == "10.0.0.0/16"
    assert outputs["arn"] is UNKNOWN
    assert (outputs["tagsAll"], outputs["region"]) == ({}, "us-east-1")


def test_a_create_is_read_back_until_it_is_deleted(provider: Provider, ledger: Ledger) -> None:
    made = create(provider, INPUTS)
    read = provider_pb2.ReadRequest(id=made.id, urn=URN)
    found = provider.Read(read, Context())
    assert (found.id, from_struct(found.inputs)) == (made.id, INPUTS)
    assert from_struct(found.properties) == from_struct(made.properties)
    for _ in range(2):  # what is gone already is no error
        provider.Delete(provider_pb2.DeleteRequest(id=made.id, urn=URN, properties=made.properties), Context())
    assert provider.Read(read, Context()).id == ""
    assert ledger.all() == []


def test_a_change_says_what_it_does_to_which_property(provider: Provider) -> None:
    answer = diff(provider, {**INPUTS, "enableDnsSupport": True}, {"cidrBlock": UNKNOWN, "tags": {"a.b": "c"}})
    kind = provider_pb2.PropertyDiff
    assert {path: entry.kind for path, entry in answer.detailedDiff.items()} == {
        "cidrBlock": kind.UPDATE_REPLACE,
        "enableDnsSupport": kind.DELETE,
        "tags": kind.ADD,
    }
    assert (list(answer.replaces), answer.hasDetailedDiff) == (["cidrBlock"], True)
    assert answer.changes == provider_pb2.DiffResponse.DIFF_SOME


def test_the_same_inputs_are_no_change(provider: Provider) -> None:
    answer = diff(provider, INPUTS, INPUTS)
    assert (answer.changes, dict(answer.detailedDiff)) == (provider_pb2.DiffResponse.DIFF_NONE, {})


def test_wrong_inputs_are_failures_of_check_with_their_path(provider: Provider) -> None:
    answer = provider.Check(provider_pb2.CheckRequest(urn=URN, news=to_struct({"cidrBlok": "x"})), Context())
    assert [(failure.property, failure.reason) for failure in answer.failures] == [
        ("cidrBlok", "unknown property 'cidrBlok'; did you mean 'cidrBlock'?")
    ]


def test_an_update_of_what_is_gone_is_refused(provider: Provider) -> None:
    request = provider_pb2.UpdateRequest(id="vpc-0", urn=URN, news=to_struct(INPUTS), old_inputs=to_struct(INPUTS))
    with pytest.raises(AbortedError, match=r"\(vpc-0\): couldn't find resource"):
        provider.Update(request, Context())


def test_a_type_the_sdk_does_not_have_is_named(provider: Provider) -> None:
    urn = URN.replace("ec2/vpc:Vpc", "ec2/thing:Thing")
    with pytest.raises(AbortedError, match="unrecognized resource type aws:ec2/thing:Thing"):
        provider.Check(provider_pb2.CheckRequest(urn=urn), Context())


def test_a_provider_without_a_region_is_refused(schemas: dict[str, Schema], ledger: Ledger) -> None:
    with pytest.raises(AbortedError, match='missing required configuration key "aws:region"'):
        Provider(Aws(), schemas["aws"], ledger).Configure(provider_pb2.ConfigureRequest(), Context())


@pytest.mark.parametrize(
    ("new", "replaces"), [({"region": "us-west-2"}, ["region"]), ({"region": "us-east-1", "profile": "p"}, [])], ids=str
)
def test_another_region_replaces_what_the_provider_holds(
    provider: Provider, new: dict[str, str], replaces: list[str]
) -> None:
    old = to_struct({"region": "us-east-1"})
    answer = provider.DiffConfig(provider_pb2.DiffRequest(old_inputs=old, news=to_struct(new)), Context())
    assert list(answer.replaces) == replaces


def test_a_mistyped_setting_of_the_provider_is_a_failure(provider: Provider) -> None:
    news = {"regoin": "us-east-1", "version": "7.51.1", "defaultTags": '{"tags": {"a": "b"}}'}
    answer = provider.CheckConfig(provider_pb2.CheckRequest(news=to_struct(news)), Context())
    assert [failure.reason for failure in answer.failures] == ["unknown property 'regoin'; did you mean 'region'?"]


@pytest.mark.parametrize(
    ("region", "reasons"),
    [
        ("moon", ["invalid AWS Region: moon; a region looks like us-east-1"]),
        ("us-wset-2", ["invalid AWS Region: us-wset-2; did you mean us-west-2?"]),
        ("us-east", ["invalid AWS Region: us-east; did you mean us-east-2?"]),
        ("ap-southeast-9", []),
        ("us-gov-west-1", []),
        ("eusc-de-east-1", []),
    ],
)
def test_a_region_that_looks_like_none_is_a_failure(provider: Provider, region: str, reasons: list[str]) -> None:
    answer = provider.CheckConfig(provider_pb2.CheckRequest(news=to_struct({"region": region})), Context())
    assert [(failure.property, failure.reason) for failure in answer.failures] == [
        ("region", reason) for reason in reasons
    ]


def test_data_sources_answer_for_the_fake_account_or_have_an_answer_that_is_made_up(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(provider, "_warn", lambda _, message: said.append(message))

    def ask(token: str) -> dict[str, Any]:
        return from_struct(getattr(provider.Invoke(provider_pb2.InvokeRequest(tok=token), Context()), "return"))

    assert ask("aws:index/getCallerIdentity:getCallerIdentity")["accountId"] == "000000000000"
    assert ask("aws:index/getRegion:getRegion")["region"] == "us-east-1"
    assert ask("aws:index/getAvailabilityZones:getAvailabilityZones")["zoneIds"][0] == "use1-az1"
    assert said == []
    image = ask("aws:ec2/getAmi:getAmi")
    assert (image["id"][:4], image["region"], image == ask("aws:ec2/getAmi:getAmi")) == ("ami-", "us-east-1", True)
    assert [line.partition(" is made up")[0] for line in said] == ["the answer of aws:ec2/getAmi:getAmi"] * 2
    with pytest.raises(AbortedError, match="unrecognized function aws:ec2/getNothing:getNothing"):
        ask("aws:ec2/getNothing:getNothing")


def test_a_value_that_is_made_up_is_not_judged(provider: Provider) -> None:
    request = provider_pb2.InvokeRequest(tok="aws:ssm/getParameter:getParameter", args=to_struct({"name": "image"}))
    image = from_struct(getattr(provider.Invoke(request, Context()), "return"))["value"]

    def judged(value: str) -> list[str]:
        inputs = {"ami": value, "instanceType": "t3.micro"}
        urn = URN.replace("ec2/vpc:Vpc", "ec2/instance:Instance")
        answer = provider.Check(provider_pb2.CheckRequest(urn=urn, news=to_struct(inputs)), Context())
        assert from_struct(answer.inputs)["ami"] == value
        return [failure.property for failure in answer.failures]

    assert (judged(image), judged(f"a {image}"), judged("al2023")) == ([], [], ["ami"])


def test_what_a_program_has_looked_up_exists_for_an_update(provider: Provider) -> None:
    asked = provider_pb2.InvokeRequest(tok="aws:ec2/getVpc:getVpc", args=to_struct({"tags": {"Name": "main"}}))
    vpc = from_struct(getattr(provider.Invoke(asked, Context()), "return"))["id"]

    def created(id_: str) -> str:
        urn = URN.replace("ec2/vpc:Vpc", "ec2/routeTable:RouteTable")
        request = provider_pb2.CreateRequest(urn=urn, properties=to_struct({"vpcId": id_}))
        return provider.Create(request, Context()).id[:4]

    assert created(vpc) == "rtb-"
    with pytest.raises(AbortedError, match="The vpc ID 'vpc-0123' does not exist"):
        created("vpc-0123")


def test_what_a_program_reads_or_imports_is_made_up_and_what_a_refresh_misses_is_not(
    provider: Provider, weather: Weather
) -> None:
    read = provider_pb2.ReadRequest(id="vpc-1", urn=URN)
    assert provider.Read(read, Context()).id == ""
    weather.inventions.reads = True
    found = provider.Read(read, Context())
    assert (found.id, from_struct(found.inputs), from_struct(found.properties)["region"]) == ("vpc-1", {}, "us-east-1")
    imported = provider_pb2.DiffRequest(id="vpc-1", urn=URN, olds=found.properties, news=to_struct(INPUTS))
    assert provider.Diff(imported, Context()).changes == provider_pb2.DiffResponse.DIFF_NONE
    refresh = provider_pb2.ReadRequest(id="vpc-1", urn=URN, properties=found.properties)
    assert provider.Read(refresh, Context()).id == ""


def test_a_type_without_a_model_is_named_once_and_one_with_a_model_never(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(provider, "_warn", lambda _, message: said.append(message))
    stream = URN.replace("ec2/vpc:Vpc", "kinesis/stream:Stream")
    for preview in (True, False):
        create(provider, INPUTS, preview=preview)
        request = provider_pb2.CreateRequest(urn=stream, properties=to_struct({"name": "t"}), preview=preview)
        provider.Create(request, Context())
    assert said == [
        "aws:kinesis/stream:Stream is not modelled: its id and what the cloud computes are made up or empty, "
        "and few of its values are checked"
    ]


def test_a_fault_of_ours_is_named_as_such(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("gpucluster.sandbox.clouds.aws.cloud.AwsAccount.create", fail)
    with pytest.raises(AbortedError) as ended:
        create(provider, INPUTS)
    assert str(ended.value) == Says(
        "the sandbox itself failed in Create", "ZeroDivisionError('oops')", "gpucluster.sandbox.clouds.requests"
    )


LATER = Scenario(operations=(Disturbance(type="azure-native:network:PublicIPAddress", seconds=60),))
ADDRESS = "urn:pulumi:dev::small::azure-native:network:PublicIPAddress::address"
PLACE = {"publicIpAddressName": "address", "resourceGroupName": "g", "location": "eastus"}


def in_azure(schemas: dict[str, Schema], ledger: Ledger, scenario: Scenario) -> Provider:
    """A provider of a subscription with the group `g`."""
    made = Provider(Azure(), schemas["azure-native"], ledger, Weather(scenario))
    subscription = {"subscriptionId": "11111111-2222-3333-4444-555555555555"}
    made.Configure(provider_pb2.ConfigureRequest(args=to_struct(subscription)), Context())
    group = to_struct({"resourceGroupName": "g", "location": "eastus"})
    urn = "urn:pulumi:dev::small::azure-native:resources:ResourceGroup::g"
    made.Create(provider_pb2.CreateRequest(urn=urn, properties=group), Context())
    return made


def make_address(provider: Provider, context: Context) -> Any:
    return provider.Create(provider_pb2.CreateRequest(urn=ADDRESS, properties=to_struct(PLACE)), context)


def states(ledger: Ledger) -> dict[str, str]:
    return {entry.name: entry.state for entry in ledger.all()}


def test_a_caller_hears_of_a_thing_once_it_is_ready_and_once_it_is_gone(
    schemas: dict[str, Schema], ledger: Ledger
) -> None:
    provider = in_azure(schemas, ledger, Scenario())
    made = make_address(provider, Context())
    assert from_struct(made.properties)["provisioningState"] == "Succeeded"
    assert states(ledger) == {"g": "", "address": "Succeeded"}
    provider.Delete(provider_pb2.DeleteRequest(id=made.id, urn=ADDRESS, properties=made.properties), Context())
    assert states(ledger) == {"g": ""}


def remembered(context: Context) -> Any:
    """What the engine is told to keep of a resource that did not come about."""
    status, detail = status_pb2.Status(), provider_pb2.ErrorResourceInitFailed()
    status.ParseFromString(context.trailers["grpc-status-details-bin"])
    assert status.details[0].Unpack(detail)
    return detail


def test_a_failed_operation_leaves_what_it_made_and_says_so(schemas: dict[str, Schema], ledger: Ledger) -> None:
    error = 'Code="PublicIPCountLimitReached"'
    failing = Disturbance(type="azure-native:network:PublicIPAddress", fails="partial", error=error)
    context = Context()
    with pytest.raises(AbortedError, match="PublicIPCountLimitReached"):
        make_address(in_azure(schemas, ledger, Scenario(operations=(failing,))), context)
    detail = remembered(context)
    assert list(detail.reasons) == ['Code="PublicIPCountLimitReached"']
    assert from_struct(detail.properties)["provisioningState"] == "Failed"
    assert from_struct(detail.inputs) == PLACE
    assert states(ledger) == {"g": "", "address": "Failed"}


def test_who_cancels_waits_no_longer_and_the_cloud_goes_on(schemas: dict[str, Schema], ledger: Ledger) -> None:
    provider, context = in_azure(schemas, ledger, LATER), Context()
    provider.Cancel(None, context)
    with pytest.raises(AbortedError, match="canceled while address was Updating"):
        make_address(provider, context)
    assert from_struct(remembered(context).properties)["provisioningState"] == "Updating"
    assert states(ledger) == {"g": "", "address": "Updating"}
