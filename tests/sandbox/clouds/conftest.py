"""A ledger, the schemas of the installed SDKs, and things to try rules on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.resources import urn_name
from gpucluster.sandbox.clouds.aws.cloud import AwsAccount
from gpucluster.sandbox.clouds.cloud import Account, Resource
from gpucluster.sandbox.clouds.outputs import after
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.clouds.types.values import plain


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger."""
    with closing(Ledger(tmp_path / "clouds.sqlite3")) as empty:
        yield empty


@pytest.fixture(scope="session")
def schemas() -> dict[str, Schema]:
    """The schema of each installed SDK, by package."""
    return {package: Schema(sdk) for package, sdk in installed_sdks(site_packages(None)).items()}


@pytest.fixture
def account(ledger: Ledger) -> AwsAccount:
    """The simulated account in us-east-1."""
    return AwsAccount(ledger, "us-east-1", {})


@pytest.fixture
def aws(schemas: dict[str, Schema]) -> Callable[..., Resource]:
    """Makes a resource of AWS: `aws("ec2/vpc:Vpc", "name", cidrBlock=..)`."""
    return partial(_asked, schemas["aws"])


@pytest.fixture
def gcp(schemas: dict[str, Schema]) -> Callable[..., Resource]:
    """Makes a resource of Google Cloud: `gcp("compute/network:Network", "name", mtu=..)`."""
    return partial(_asked, schemas["gcp"])


@pytest.fixture
def azure(schemas: dict[str, Schema]) -> Callable[..., Resource]:
    """Makes a resource of Azure: `azure("network:VirtualNetwork", "name", resourceGroupName="g")`."""
    return partial(_asked, schemas["azure-native"])


@pytest.fixture
def create(account: AwsAccount, aws: Callable[..., Resource]) -> Callable[..., Entry]:
    """Creates a resource in the AWS account as the engine would, and returns what the ledger then has."""
    return partial(_create, account, aws)


@pytest.fixture
def create_in_gcp(gcp: Callable[..., Resource]) -> Callable[..., Entry]:
    """Creates a resource likewise in an account of Google Cloud, the first argument."""

    def make(account: Account, token: str, name: str = "it", /, **inputs: Any) -> Entry:
        return _create(account, gcp, token, name, **inputs)

    return make


@pytest.fixture
def create_in_aws(aws: Callable[..., Resource]) -> Callable[..., Entry]:
    """Creates a resource likewise in an AWS account, the first argument."""

    def make(account: Account, token: str, name: str = "it", /, **inputs: Any) -> Entry:
        return _create(account, aws, token, name, **inputs)

    return make


@pytest.fixture
def create_in_azure(azure: Callable[..., Resource]) -> Callable[..., Entry]:
    """Creates a resource likewise in a subscription of Azure, the first argument."""

    def make(account: Account, token: str, name: str = "it", /, **inputs: Any) -> Entry:
        return _create(account, azure, token, name, **inputs)

    return make


def _asked(schema: Schema, token: str, name: str = "it", /, **inputs: Any) -> Resource:
    full = f"{schema.sdk.package}:{token}"
    found = schema.resource_type(full)
    assert found is not None
    return Resource(urn=f"urn:pulumi:dev::small::{full}::{name}", type=found, inputs=inputs)


def _create(account: Account, make: Callable[..., Resource], token: str, name: str = "it", /, **inputs: Any) -> Entry:
    return created(account, make(token, name, **inputs))


def created(account: Account, asked: Resource) -> Entry:
    """Makes a resource as the engine would; what the ledger then has."""
    checked = replace(asked, inputs=account.defaults(asked, b"seed" + urn_name(asked.urn).encode()))
    made = account.create(checked)
    outputs = after(checked, made.outputs)
    entry = Entry(
        provider=checked.token.split(":")[0],
        scope=account.scope(checked.type, plain(outputs)),
        type=checked.token,
        id=made.id,
        name=made.name,
        urn=checked.urn,
        inputs=dict(checked.inputs),
        outputs=outputs,
    )
    account.ledger.put(entry)
    return entry
