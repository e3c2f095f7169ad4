"""Possible receivers of alerts on Google Cloud. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.problem import Problem
from gpucluster.components.spec.operations import Alerts

_WHO = "the Alertmanager that Google Cloud runs"


def receiver_problems(receivers: Alerts | None) -> list[Problem]:
    """Mail and topics: the rules are evaluated in the cluster, by software that sends only to an Alertmanager.

    Sources: Managed Service for Prometheus documentation, "Managed rule evaluation and alerting"; Alertmanager
    documentation, "Configuration" (email_config, receiver).
    """
    if receivers is None:
        return []
    problems: list[Problem] = []
    if receivers.mail:
        seen = f"is set, but {_WHO} can send mail only through your SMTP server, which is not supported"
        fix = "remove it and write a webhook that sends mail, such as that of a paging service"
        problems.append(Problem("telemetry.alerts.mail", seen, fix))
    if receivers.topic:
        seen = (
            f"is set, but {_WHO} supports no topics: neither Pub/Sub nor a notification channel of Cloud Monitoring, "
            "whose own policies do not evaluate these rules"
        )
        problems.append(Problem("telemetry.alerts.topic", seen, "remove it and write a webhook"))
    return problems


def receiver_notes(receivers: Alerts | None, *, nat: bool) -> list[str]:
    """nat: the network has a route to the internet."""
    if receivers is None or nat:
        return []
    return [
        "alerts: access.egress is none, so the webhook must be reachable inside the network: an Alertmanager in the "
        "cluster posts to it"
    ]
