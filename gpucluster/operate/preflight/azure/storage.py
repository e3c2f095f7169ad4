"""Containers of blobs that are linked to a file system, and the principal that reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from azure.core.exceptions import ResourceNotFoundError

from gpucluster.components.azure.arm import container_id
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused, unknown
from gpucluster.operate.preflight.azure.ids import id_of, other_region

_VERSION: Final = "2023-05-01"
"""Of the storage API. Source: Azure/azure-rest-api-specs, Microsoft.Storage/stable."""


def storage_askers(clients: Clients) -> Mapping[str, Asker]:
    return {
        "container": lambda asked: [_container(clients, one) for one in asked],
        "principal": lambda asked: [_principal(one) for one in asked],
    }


def _container(clients: Clients, question: Question) -> Answer:
    account = question.details["account"]
    name, read = id_of(account).name, clients.resources.resources.get_by_id
    try:
        found = read(account, api_version=_VERSION)
    except ResourceNotFoundError:
        return refused(question, f"no account {name}", "write its resource group as gpucluster:bucketGroup")
    if elsewhere := other_region(question, found.location):
        return elsewhere
    properties = cast("Mapping[str, Any]", found.properties or {})
    if properties.get("allowSharedKeyAccess") is False:
        fix = "Azure Managed Lustre needs keys: allow them, or use another account"
        command = f"az storage account update --name {name} --allow-shared-key-access true"
        return refused(question, "keys are disabled", fix, command)
    try:
        read(container_id(account, question.subject), api_version=_VERSION)
    except ResourceNotFoundError:
        command = f"az storage container create --account-name {name} --name {question.subject} --auth-mode login"
        return refused(question, "no such container", "create it, or write another", command)
    return fine(question, f"in {found.location}, keys enabled")


def _principal(question: Question) -> Answer:
    return unknown(
        question,
        "only Microsoft Graph knows names of principals, which this command does not ask",
        "compare the name",
        f"az ad sp show --id {question.subject} --query displayName",
    )
