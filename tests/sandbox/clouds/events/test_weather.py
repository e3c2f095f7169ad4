"""What a scenario does to single requests, as the engine hears it and as the clouds are afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2

from gpucluster.sandbox.clouds.aws.cloud import Aws
from gpucluster.sandbox.clouds.cloud import Act, Cloud
from gpucluster.sandbox.clouds.events.scenario import Disturbance, Scenario
from gpucluster.sandbox.clouds.events.weather import Weather
from gpucluster.sandbox.clouds.gcp.cloud import Gcp
from gpucluster.sandbox.clouds.gcp.machines import CLUSTER
from gpucluster.sandbox.clouds.gcp.model import number_of
from gpucluster.sandbox.clouds.provider import Provider
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.values import to_struct

Make = Callable[..., Provider]

VPC = "aws:ec2/vpc:Vpc"
NETWORK = "gcp:compute/network:Network"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
SERVICE = "gcp:projects/service:Service"
RING, KEY = "gcp:kms/keyRing:KeyRing", "gcp:kms/cryptoKey:CryptoKey"
KEY_USE = "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember"
_RING_PATH = "projects/p/locations/us-central1/keyRings/r"
INPUTS: Mapping[str, dict[str, Any]] = {
    VPC: {"cidrBlock": "10.0.0.0/16"},
    NETWORK: {"name": "net", "autoCreateSubnetworks": False},
    SERVICE: {"service": "cloudkms.googleapis.com"},
    RING: {"name": "r", "location": "us-central1"},
    KEY: {"name": "k", "keyRing": _RING_PATH},
    KEY_USE: {
        "cryptoKeyId": f"{_RING_PATH}/cryptoKeys/k",
        "role": "roles/cloudkms.cryptoKeyEncrypterDecrypter",
        "member": f"serviceAccount:service-{number_of('p')}@container-engine-robot.iam.gserviceaccount.com",
    },
    CLUSTER: {
        "name": "c",
        "location": "us-central1",
        "initialNodeCount": 1,
        "network": "net",
        "databaseEncryption": {"state": "ENCRYPTED", "keyName": f"{_RING_PATH}/cryptoKeys/k"},
    },
}


class RefusedError(Exception):
    """What a call ends with."""


class Context:
    """The part of a gRPC context that the provider uses."""

    remembered = False

    def set_trailing_metadata(self, metadata: Iterable[tuple[str, bytes]]) -> None:
        del metadata
        self.remembered = True

    def abort(self, code: grpc.StatusCode, message: str) -> NoReturn:
        del code
        raise RefusedError(message)


@pytest.fixture
def under(schemas: dict[str, Schema], ledger: Ledger) -> Make:
    """Makes a provider in such weather: `under(Disturbance(..), package="gcp")`."""

    def make(*disturbances: Disturbance, package: str = "aws", waits: Path | None = None) -> Provider:
        cloud: Cloud = {"aws": Aws, "gcp": Gcp}[package]()
        made = Provider(cloud, schemas[package], ledger, Weather(Scenario(operations=disturbances), waits))
        settings = {"region": "us-central1", "project": "p"} if package == "gcp" else {"region": "us-east-1"}
        made.Configure(provider_pb2.ConfigureRequest(args=to_struct(settings)), Context())
        return made

    return make


def create(provider: Provider, type_: str = VPC, name: str = "net", context: Context | None = None) -> Any:
    urn = f"urn:pulumi:dev::small::{type_}::{name}"
    request = provider_pb2.CreateRequest(urn=urn, properties=to_struct(INPUTS[type_]))
    return provider.Create(request, context or Context())


def delete(provider: Provider, made: Any, type_: str = VPC) -> None:
    urn = f"urn:pulumi:dev::small::{type_}::net"
    provider.Delete(provider_pb2.DeleteRequest(urn=urn, id=made.id, properties=made.properties), Context())


@pytest.mark.parametrize(
    ("types", "relies", "words"),
    [
        ([SERVICE], RING, "cloudkms.googleapis.com has not been used in project"),
        ([RING, KEY, KEY_USE], CLUSTER, "has no permission to encrypt and decrypt"),
    ],
)
def test_others_can_rely_on_a_new_resource_once_the_program_has_waited_for_it(
    under: Make, tmp_path: Path, types: list[str], relies: str, words: str
) -> None:
    waits, urn = tmp_path / "waits", f"urn:pulumi:dev::small::{types[-1]}::net"
    provider = under(Disturbance(type=types[-1], effective=60), package="gcp", waits=waits)
    for type_ in (*types, NETWORK):
        create(provider, type_)
    for lines in ("", f"59 {urn}\n", f"60 {urn}-other\n"):
        waits.write_text(lines)
        with pytest.raises(RefusedError, match=words):
            create(provider, relies)
    waits.write_text(f"59 {urn}\n1 {urn}\n")
    create(provider, relies)


def test_the_nth_request_of_a_type_is_refused_in_the_words_of_the_file(under: Make, ledger: Ledger) -> None:
    provider = under(Disturbance(type=VPC, at=2, times=1, fails="refused", error="VpcLimitExceeded: no"))
    create(provider)
    with pytest.raises(RefusedError, match=r"^VpcLimitExceeded: no$"):
        create(provider)
    create(provider)
    assert len(ledger.all()) == 2


@pytest.mark.parametrize(
    ("rows", "of_net", "of_another"),
    [
        ([("aws:*", ""), (VPC, "net")], 1, 0),
        ([(VPC, ""), ("aws:*", "net")], 1, 0),
        ([("aws:*", "net"), (VPC, "net")], 1, None),
        ([("aws:*", ""), (VPC, "")], 1, 1),
        ([(VPC, ""), ("aws:*", "")], 0, 0),
        ([(VPC, ""), (VPC, "")], 0, 0),
    ],
    ids=["name and type", "name", "name and type before name", "type last", "type first", "equals"],
)
def test_of_entries_one_by_name_is_followed_then_one_by_type_then_the_first(
    under: Make, rows: list[tuple[str, str]], of_net: int, of_another: int | None
) -> None:
    entries = [Disturbance(type=row[0], name=row[1], fails="refused", error=f"{at}") for at, row in enumerate(rows)]
    with pytest.raises(RefusedError, match=f"^{of_net}$"):
        create(under(*entries))
    if of_another is None:
        create(under(*entries), name="other")
    else:
        with pytest.raises(RefusedError, match=f"^{of_another}$"):
            create(under(*entries), name="other")


def test_throttled_requests_are_asked_again_as_often_as_the_provider_does(under: Make, ledger: Ledger) -> None:
    create(under(Disturbance(type="aws:ec2/*", times=24, fails="throttled")))
    assert len(ledger.all()) == 1
    with pytest.raises(RefusedError, match=r"^api error RequestLimitExceeded: Request limit exceeded\.$"):
        create(under(Disturbance(type="aws:ec2/*", times=25, fails="throttled")))
    assert len(ledger.all()) == 1


def test_a_lost_answer_leaves_a_thing_that_no_state_knows(under: Make, ledger: Ledger) -> None:
    context = Context()
    with pytest.raises(RefusedError, match=r"Client\.Timeout exceeded"):
        create(under(Disturbance(type=VPC, fails="timeout")), context=context)
    assert (len(ledger.all()), context.remembered) == (1, False)


def test_the_google_provider_forgets_what_it_stopped_to_wait_for(under: Make, ledger: Ledger) -> None:
    context = Context()
    waited = r"timeout while waiting for state to become 'DONE' \(last state: 'RUNNING', timeout: 20m0s\)"
    with pytest.raises(RefusedError, match=waited):
        create(under(Disturbance(type=NETWORK, fails="timeout"), package="gcp"), NETWORK, context=context)
    assert (len(ledger.all()), context.remembered) == (1, False)


def test_a_thing_made_in_part_stays_in_the_state(under: Make, ledger: Ledger) -> None:
    context = Context()
    with pytest.raises(RefusedError, match="tags"):
        create(under(Disturbance(type=VPC, fails="partial", error="no tags")), context=context)
    assert (len(ledger.all()), context.remembered) == (1, True)


@pytest.mark.parametrize(("times", "found"), [(20, True), (21, False)])
def test_what_was_made_is_looked_for_until_it_shows(under: Make, ledger: Ledger, times: int, found: bool) -> None:
    provider, context = under(Disturbance(type=VPC, request="read", times=times, fails="not-yet")), Context()
    if found:
        create(provider, context=context)
    else:
        with pytest.raises(RefusedError, match=r"couldn't find resource \(21 retries\)"):
            create(provider, context=context)
    assert (len(ledger.all()), context.remembered) == (1, not found)


def test_a_refresh_that_reads_too_early_finds_nothing(under: Make) -> None:
    made = create(under())
    urn = f"urn:pulumi:dev::small::{VPC}::net"
    request = provider_pb2.ReadRequest(urn=urn, id=made.id, properties=made.properties)
    blind = under(Disturbance(type=VPC, request="read", times=1, fails="not-yet"))
    assert [blind.Read(request, Context()).id for _ in range(2)] == ["", made.id]


def test_a_provider_that_crashes_has_asked_already(under: Make, ledger: Ledger) -> None:
    provider, died = under(Disturbance(type=VPC, fails="crash")), list[bool]()
    provider.die = lambda: died.append(True)
    with pytest.raises(RefusedError, match="the provider has crashed"):
        create(provider)
    assert (died, len(ledger.all())) == ([True], 1)


@pytest.mark.parametrize(("fails", "left"), [("refused", 1), ("partial", 1), ("timeout", 0)])
def test_a_deletion_fails_before_or_after_the_cloud_has_done_it(
    under: Make, ledger: Ledger, fails: str, left: int
) -> None:
    made = create(under())
    with pytest.raises(RefusedError):
        delete(under(Disturbance(type=VPC, request="delete", fails=fails, error="no")), made)
    assert len(ledger.all()) == left


def test_any_request_is_one_to_create_to_change_or_to_delete(under: Make, ledger: Ledger) -> None:
    provider = under(Disturbance(type="*", request="any", at=2, fails="refused", error="no"))
    made = create(provider)
    with pytest.raises(RefusedError):
        delete(provider, made)
    assert len(ledger.all()) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Disturbance(type="aws:*", name="net"), Disturbance(type=VPC)),
        (Disturbance(type=VPC, name="net"), Disturbance(type="aws:*", name="net")),
        (Disturbance(type=VPC), Disturbance(type="aws:ec2/*")),
    ],
)
def test_a_name_comes_before_a_type_and_a_type_before_a_pattern(first: Disturbance, second: Disturbance) -> None:
    for order in ((first, second), (second, first)):
        assert Weather(Scenario(operations=order)).disturbance(VPC, ("net",), Act.CREATE) is first


def test_of_two_entries_alike_the_first_is_taken_until_its_times_are_over() -> None:
    first, second = Disturbance(type=VPC, at=2, times=2, error="first"), Disturbance(type=VPC, error="second")
    weather = Weather(Scenario(operations=(first, second)))
    assert [weather.disturbance(VPC, ("net",), Act.CREATE) for _ in range(4)] == [second, first, first, second]
    assert [weather.seen(at) for at in (0, 1)] == [4, 4]
