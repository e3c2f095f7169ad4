"""Possible receivers of alerts on Google Cloud. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.gcp.location import Location
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.operations import Alerts

_WHO = "the Alertmanager that Google Cloud runs"


def report_receivers(receivers: Alerts | None, planning: Planning[Location], *, nat: bool) -> None:
    """Refuses mail and topics: the rules are evaluated in the cluster, by software that sends only to an Alertmanager.
    nat: the network has a route to the internet.

    Sources: Managed Service for Prometheus documentation, "Managed rule evaluation and alerting"; Alertmanager
    documentation, "Configuration" (email_config, receiver).
    """
    if receivers is None:
        return
    if receivers.mail:
        seen = f"is set, but {_WHO} can send mail only through your SMTP server, which is not supported"
        fix = "remove it and write a webhook that sends mail, such as that of a paging service"
        planning.refuse("telemetry.alerts.mail", seen, fix)
    if receivers.topic:
        seen = (
            f"is set, but {_WHO} supports no topics: neither Pub/Sub nor a notification channel of Cloud Monitoring, "
            "whose own policies do not evaluate these rules"
        )
        planning.refuse("telemetry.alerts.topic", seen, "remove it and write a webhook")
    if not nat:
        planning.notes.append(
            "alerts: access.egress is none, so the webhook must be reachable inside the network: an Alertmanager in "
            "the cluster posts to it"
        )
