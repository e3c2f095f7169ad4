"""Who can be told of alerts on Google Cloud. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.problem import Problem
from gpucluster.components.spec.operations import Alerts

_WHO = "the Alertmanager that Google Cloud runs"


def receiver_problems(receivers: Alerts | None) -> list[Problem]:
    """Mail and topics: the rules are evaluated in the cluster, and what evaluates them sends to an Alertmanager alone.

    Sources: Managed Service for Prometheus documentation, "Managed rule evaluation and alerting"; Alertmanager
    documentation, "Configuration" (email_config, receiver).
    """
    if receivers is None:
        return []
    problems: list[Problem] = []
    if receivers.mail:
        seen = f"is set, and {_WHO} mails by an SMTP server of yours alone, which is not built"
        fix = "leave it out and name a webhook that mails, such as that of a paging service"
        problems.append(Problem("telemetry.alerts.mail", seen, fix))
    if receivers.topic:
        seen = (
            f"is set, and {_WHO} knows no topic: neither Pub/Sub nor a notification channel of Cloud Monitoring, "
            "whose own policies do not evaluate these rules"
        )
        problems.append(Problem("telemetry.alerts.topic", seen, "leave it out and name a webhook"))
    return problems


def receiver_notes(receivers: Alerts | None, *, nat: bool) -> list[str]:
    """nat: the network has a way out."""
    if receivers is None or nat:
        return []
    return [
        "alerts: access.egress is none, so the webhook has to answer inside the network: an Alertmanager of the "
        "cluster posts to it"
    ]
