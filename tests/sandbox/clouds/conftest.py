"""A ledger, the schemas of the installed SDKs, and things to try rules on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.clouds.aws.cloud import AwsAccount
from sandbox.clouds.cloud import Resource
from sandbox.clouds.ledger import Entry, Ledger
from sandbox.clouds.outputs import after
from sandbox.clouds.schema import Schema
from sandbox.clouds.sdk import installed_sdks, site_packages
from sandbox.clouds.values import plain


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty ledger."""
    return Ledger(tmp_path / "clouds.sqlite3")


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

    def make(token: str, name: str = "it", /, **inputs: Any) -> Resource:
        found = schemas["aws"].resource_type(f"aws:{token}")
        assert found is not None
        return Resource(urn=f"urn:pulumi:dev::small::aws:{token}::{name}", type=found, inputs=inputs)

    return make


@pytest.fixture
def create(account: AwsAccount, aws: Callable[..., Resource], ledger: Ledger) -> Callable[..., Entry]:
    """Creates a resource in the account as the engine would, and returns what the ledger then has."""

    def make(token: str, name: str = "it", /, **inputs: Any) -> Entry:
        asked = aws(token, name, **inputs)
        checked = Resource(urn=asked.urn, type=asked.type, inputs=account.defaults(asked, b"seed" + name.encode()))
        made = account.create(checked)
        outputs = after(checked, made.outputs)
        scope = account.scope(checked.type, plain(outputs))
        entry = Entry(
            provider="aws",
            scope=scope,
            type=checked.token,
            id=made.id,
            name=made.name,
            urn=checked.urn,
            inputs=dict(checked.inputs),
            outputs=outputs,
        )
        ledger.put(entry)
        return entry

    return make
