"""The webhook for alerts from a stack's configuration, so that no file has its token in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, SecretStr

from gpucluster.components.problem import BadSpecValue, Problem
from gpucluster.components.spec.cluster import StackSpec
from gpucluster.components.spec.file import SpecSource
from gpucluster.components.spec.operations import Alerts, is_webhook
from gpucluster.errors import InputError
from gpucluster.record import record

WEBHOOK: Final = "alertsWebhook"
"""Key of the configuration."""


def is_encrypted(value: str) -> bool:
    """Whether it is encrypted as in a stack's file, readable only for Pulumi."""
    return value.startswith('{"secure":')


def _url(value: SecretStr) -> SecretStr:
    """An encrypted value is checked when Pulumi passes it decrypted."""
    text = value.get_secret_value()
    if not is_encrypted(text) and not is_webhook(text):
        fix = f"run pulumi config set --secret gpucluster:{WEBHOOK} https://alerts.example.com/gpus"
        raise BadSpecValue([Problem(WEBHOOK, "is not an https:// URL; the value is hidden", fix)])
    return value


Webhook = Annotated[SecretStr, AfterValidator(_url)]


@record
class WithWebhook:
    """A spec whose alerts also go to a webhook. webhook: still encrypted in a plan that is not declared."""

    source: SpecSource[StackSpec]
    webhook: SecretStr

    def read(self) -> StackSpec:
        spec = self.source.read()
        alerts = spec.telemetry.alerts or Alerts.model_construct()
        if alerts.webhook is not None:
            seen = f"is set, but so is {WEBHOOK} in the stack's configuration"
            raise self.error([Problem("telemetry.alerts.webhook", seen, "remove one of them")])
        told = alerts.model_copy(update={"webhook": self.webhook})
        return spec.model_copy(update={"telemetry": spec.telemetry.model_copy(update={"alerts": told})})

    def error(self, problems: Sequence[Problem]) -> InputError:
        return self.source.error(problems)

    def what_if(self) -> list[str]:
        return self.source.what_if()
