"""Waits until a granted role has propagated in Azure: earlier requests are refused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any, Final

import pulumi
from pulumi_azure_native import authorization

from gpucluster.components.resources.simulated import simulated, wait

_TAKES: Final = timedelta(minutes=5)
"""Sources: Azure Managed Lustre documentation, "Prerequisites"; AKS documentation, "Use Microsoft Entra ID
authorization for the Kubernetes API" (2026-08-18): up to five minutes, both. Azure RBAC documentation, "Troubleshoot
Azure RBAC": up to ten; hashicorp/terraform-provider-azurerm issue 24064: a cluster that is created too early."""


def known_everywhere(grants: Sequence[authorization.RoleAssignment]) -> pulumi.Output[Any]:
    """An output to depend on: ready five minutes after the last grant was created; at once in a preview."""
    return pulumi.Output.all(*(pulumi.Output.all(grant.urn, grant.created_on) for grant in grants)).apply(_wait)


async def _wait(grants: Sequence[tuple[str, str | None]]) -> None:
    if pulumi.runtime.is_dry_run():
        return
    now = datetime.now(UTC)
    left = {urn: datetime.fromisoformat(moment) + _TAKES - now for urn, moment in grants if moment}
    seconds = {urn: ceil(each.total_seconds()) for urn, each in left.items() if each > timedelta(0)}
    if seconds and not simulated():
        pulumi.log.info(f"waiting {max(seconds.values())} s for the granted roles to propagate in Azure")
    await asyncio.gather(*(wait(each, urn) for urn, each in seconds.items()))
