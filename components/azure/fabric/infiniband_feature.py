"""Check of the subscription feature that InfiniBand on AKS needs, before anything expensive is created.

Never registered here: Azure also returns features that nobody has registered, so azure-native treats them as existing
(pulumi/pulumi-azure-native issue 1722).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pulumi
from pulumi_azure_native import features

from gpucluster.components.azure.settings import FEATURE, FEATURE_NAMESPACE, Settings
from gpucluster.components.resources.exit_on_error import Refused
from gpucluster.core.catalog.azure import has_infiniband
from gpucluster.errors import InputError


def feature_registered(
    name: str, machine_type: str, settings: Settings, *, parent: pulumi.Resource, after: Sequence[pulumi.Resource]
) -> list[pulumi.Output[Any]]:
    """To depend on: if machines have InfiniBand, ends the program unless the feature is registered.

    name: of the cluster or pool. after: the check waits for their creation, so that a first preview needs no login.
    """
    if settings.infiniband_feature == "waived" or not has_infiniband(machine_type):
        return []
    found = features.get_subscription_feature_registration_output(
        provider_namespace=FEATURE_NAMESPACE,
        feature_name=FEATURE,
        opts=pulumi.InvokeOutputOptions(parent=parent, depends_on=list(after)),
    )
    return [found.properties.apply(lambda properties: _check(name, properties.state))]


def _check(name: str, state: str | None) -> None:
    """Azure returns Registered once its whole API knows it: no further wait is needed.

    Source: hashicorp/terraform-provider-azurerm pull request 12385, the answer of Azure's team.
    """
    if state != "Registered":
        raise Refused(InputError(name, [_problem(state or "in an unknown state")]))


def _problem(state: str) -> str:
    return (
        f"the feature {FEATURE} is {state} in the subscription: without it the nodes may be on several InfiniBand "
        f"networks; run az feature register --namespace {FEATURE_NAMESPACE} --name {FEATURE}, wait until az feature "
        "show says Registered, and run this again; if Microsoft confirms that the subscription does not need it, "
        "write gpucluster:infinibandFeature: waived"
    )
