"""Waits until a granted role has propagated in Azure: earlier requests are refused."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pulumi
from pulumi_azure_native import authorization

_TAKES: Final = timedelta(minutes=5)
"""Sources: Azure Managed Lustre documentation, "Prerequisites"; AKS documentation, "Use Microsoft Entra ID
authorization for the Kubernetes API" (2026-08-18): up to five minutes, both."""


def known_everywhere(grants: Sequence[authorization.RoleAssignment]) -> pulumi.Output[Any]:
    """An output to depend on: ready five minutes after the last grant was created; at once in a preview."""
    return pulumi.Output.all(*(grant.created_on for grant in grants)).apply(_wait)


async def _wait(created: Sequence[str | None]) -> None:
    if pulumi.runtime.is_dry_run():
        return
    youngest = max((datetime.fromisoformat(moment) for moment in created if moment), default=None)
    left = timedelta(0) if youngest is None else youngest + _TAKES - datetime.now(UTC)
    if left > timedelta(0):
        pulumi.log.info(f"waiting {left.total_seconds():.0f} s for the granted roles to propagate in Azure")
        await sleep(left.total_seconds())
