"""What a subscription has: its state, resource providers, features, versions of Kubernetes, images of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.resource.subscriptions.models import Subscription

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused, unknown
from gpucluster.operate.preflight.azure.ids import id_of, other_region, text_of

_REGISTERED: Final = "Registered"
_FEATURE_TYPE: Final = "azure-native:features:SubscriptionFeatureRegistration"
_MASKED: Final = "00000000-0000-0000-0000-000000000000"
# Azure's name of the plan with long-term support. Source: azure-mgmt-containerservice, KubernetesSupportPlan.
_LONG_TERM: Final = "AKSLongTermSupport"


def subscription_askers(clients: Clients, subscription: Subscription) -> Mapping[str, Asker]:
    """subscription: as Azure has answered."""
    return {
        "subscription": lambda asked: [_state(one, subscription) for one in asked],
        "provider": lambda asked: _providers(clients, asked),
        "feature": lambda asked: [_feature(clients, one) for one in asked],
        "kubernetes": lambda asked: _versions(clients, asked),
        "snapshot": lambda asked: [_snapshot(clients, one) for one in asked],
    }


def _state(question: Question, subscription: Subscription) -> Answer:
    """A subscription that is warned or past due still creates resources; a disabled one does not.

    Source: Azure documentation, "Azure subscription states".
    """
    state = text_of(subscription.state) or "without a state"
    if state == question.needed:
        return fine(question, state)
    if state in ("Warned", "PastDue"):
        return Answer(
            question=question,
            verdict=refused(_advice(question), state).verdict,
            found=state,
            fix="it still works: pay or renew it before Azure disables it",
        )
    return refused(question, state, "an owner must enable it", "az account list --all --output table")


def _advice(question: Question) -> Question:
    return Question(about=question.about, subject=question.subject, decides=False)


def _providers(clients: Clients, asked: Sequence[Question]) -> list[Answer]:
    listed = clients.resources.providers.list()
    states = {(found.namespace or "").lower(): found.registration_state or "" for found in listed}
    return [_provider(one, states.get(one.subject.lower(), "unknown to Azure")) for one in asked]


def _provider(question: Question, state: str) -> Answer:
    if state == _REGISTERED:
        return fine(question, state)
    if state == "Registering":
        return refused(
            question, state, "wait until it is Registered", f"az provider show --namespace {question.subject}"
        )
    return refused(question, state, "register it", f"az provider register --wait --namespace {question.subject}")


def _feature(clients: Clients, question: Question) -> Answer:
    namespace, _, name = question.subject.partition("/")
    try:
        found = clients.features.features.get(namespace, name)
    except ResourceNotFoundError:
        state = "NotRegistered"
    else:
        state = (found.properties.state if found.properties is not None else None) or "without a state"
    if state == _REGISTERED:
        return fine(question, state)
    show = f"az feature show --namespace {namespace} --name {name} --query properties.state"
    left = {
        "Registering": ("wait until it is Registered, some minutes", show),
        "Pending": ("Microsoft has to approve it: ask its support if it stays so", show),
    }
    fix, command = left.get(
        state, ("register it, and wait for Registered", f"az feature register --namespace {namespace} --name {name}")
    )
    exists = {
        "provider": {"subscriptionId": _MASKED},
        "resources": [
            {
                "type": _FEATURE_TYPE,
                "inputs": {"providerNamespace": namespace, "featureName": name, "properties": {"state": state}},
            }
        ],
    }
    return refused(question, state, fix, command, scenario={"exists": [exists]})


def _versions(clients: Clients, asked: Sequence[Question]) -> list[Answer]:
    [region] = {one.place for one in asked}
    listed = clients.kubernetes.managed_clusters.list_kubernetes_versions(region).values_property or []
    plans = {
        found.version or "": [] if found.capabilities is None else [*(found.capabilities.support_plan or [])]
        for found in listed
        if not found.is_preview
    }
    return [_version(one, plans) for one in asked]


def _version(question: Question, plans: Mapping[str, Sequence[object]]) -> Answer:
    offered = ", ".join(sorted(plans, key=_numbers)) or "none"
    command = f"az aks get-versions --location {question.place} --output table"
    if question.subject not in plans:
        return refused(question, f"the region has {offered}", "write one of these as versions.kubernetes", command)
    if question.details.get("extended") and _LONG_TERM not in map(text_of, plans[question.subject]):
        return refused(question, "no long-term support for this version", "write a newer versions.kubernetes", command)
    return fine(question, f"the region has {offered}")


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdecimal()]


def _snapshot(clients: Clients, question: Question) -> Answer:
    found_id = id_of(question.subject)
    try:
        found = clients.of(found_id.subscription).kubernetes.snapshots.get(found_id.group, found_id.name)
    except ResourceNotFoundError:
        return refused(
            question, "does not exist", "write the id of a snapshot as versions.image", "az aks snapshot list"
        )
    if elsewhere := other_region(question, found.location):
        return elsewhere
    held = found.properties
    if held is None or held.kubernetes_version is None:
        return unknown(question, "Azure does not say what it holds")
    wanted, seen = question.details["version"], held.kubernetes_version
    text = f"Kubernetes {seen}, {held.node_image_version or 'an unnamed image'}"
    if seen != wanted and not seen.startswith(f"{wanted}."):
        return refused(question, text, f"write {seen!r} as versions.nodes, or another versions.image")
    return fine(question, text)
