"""Receivers of alerts on Azure: action groups, to which rules refer."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_azure_native import monitor

from gpucluster.components.spec.operations import Alerts

# At most 12 characters, shown in mails. Source: Azure Monitor documentation, "Action groups".
_SHORT_NAME: Final = "gpucluster"


def action_groups(
    name: str, receivers: Alerts | None, *, group: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> list[pulumi.Input[str]]:
    """Ids of the groups that notify the receivers: the cluster's own for mail and webhook, and the user's. Messages
    have the common schema, which is the same for all alerts of Azure Monitor.
    """
    if receivers is None:
        return []
    existing: list[pulumi.Input[str]] = [] if receivers.topic is None else [receivers.topic]
    if not receivers.mail and receivers.webhook is None:
        return existing
    own = monitor.ActionGroup(
        name,
        resource_group_name=group,
        location="Global",
        group_short_name=_SHORT_NAME,
        enabled=True,
        email_receivers=[
            monitor.MicrosoftCommonEmailReceiverArgs(name=address, email_address=address, use_common_alert_schema=True)
            for address in receivers.mail
        ],
        webhook_receivers=[
            monitor.WebhookReceiverArgs(
                name="webhook",
                service_uri=pulumi.Output.secret(url.get_secret_value()),
                use_common_alert_schema=True,
            )
            for url in ([receivers.webhook] if receivers.webhook else [])
        ],
        opts=opts,
    )
    return [own.id, *existing]
