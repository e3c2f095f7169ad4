"""What a destroy says of what it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.protected import kept


def resource(type_: str, name: str, **more: Any) -> dict[str, Any]:
    return {"urn": f"urn:pulumi:dev::small::{type_}::{name}", "type": type_, "custom": True, "id": f"{name}-1", **more}


def test_nothing_protected_is_nothing_to_say() -> None:
    assert kept([resource("aws:ec2/vpc:Vpc", "net")], "dev") == ""
    assert kept([], "dev") == ""


def test_what_is_protected_is_named_with_what_it_needs_and_the_commands() -> None:
    state: list[Mapping[str, Any]] = [
        resource("pulumi:providers:aws", "aws"),
        {"urn": "urn:pulumi:dev::small::my:Storage::s", "type": "my:Storage", "custom": False},
        resource("aws:ec2/vpc:Vpc", "net"),
        resource("aws:ec2/subnet:Subnet", "a"),
        resource("aws:ec2/subnet:Subnet", "b"),
        resource("aws:efs/fileSystem:FileSystem", "files", protect=True),
    ]
    assert kept(state, "dev").splitlines() == [
        "Kept, because it is protected:",
        "  files  aws:efs/fileSystem:FileSystem  files-1",
        "Also not deleted: resources that the protected ones depend on: 2 x aws:ec2/subnet:Subnet, aws:ec2/vpc:Vpc",
        "Kept resources are still billed. To release them, then destroy again:",
        "  gpucluster sandbox pulumi state unprotect --yes --stack dev "
        "'urn:pulumi:dev::small::aws:efs/fileSystem:FileSystem::files'",
    ]
