"""The project itself: its state, billing, APIs, the caller's permissions, and the two logins."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.gcp.client import Client, Reading, batched, last
from gpucluster.operate.preflight.answers import Answer, fine, refused, unknown


class _Project(Reading):
    state: str = ""


def ask_project(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether the project is active."""
    found = client.ask("cloudresourcemanager:v3", "projects.get", _Project, name=f"projects/{client.project}")
    if found.state == "ACTIVE":
        return [fine(one, "active") for one in questions]
    fix, command = "restore it within 30 days", f"gcloud projects undelete {client.project}"
    return [refused(one, found.state.lower().replace("_", " ") or "no state", fix, command) for one in questions]


class _Billing(Reading):
    billing_enabled: bool = False
    billing_account_name: str = ""


def ask_billing(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether an open billing account pays for the project."""
    found = client.ask("cloudbilling:v1", "projects.getBillingInfo", _Billing, name=f"projects/{client.project}")
    if found.billing_enabled:
        return [fine(one, "an open account") for one in questions]
    seen = "a closed account" if found.billing_account_name else "no account"
    command = f"gcloud billing projects link {client.project} --billing-account=ACCOUNT"
    return [refused(one, seen, "link the project to an open billing account", command) for one in questions]


class _Api(Reading):
    name: str
    state: str = ""


class _Apis(Reading):
    services: Sequence[_Api] = ()


_AT_ONCE: Final = 30
"""Source: Service Usage API v1, services.batchGet."""


def ask_apis(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether the APIs are enabled. `up` enables the others."""
    states = states_of_apis(client, [one.subject for one in questions])
    return [_api(one, states.get(one.subject, ""), client.project) for one in questions]


def states_of_apis(client: Client, names: Sequence[str]) -> Mapping[str, str]:
    """API -> ENABLED or DISABLED. names: such as compute.googleapis.com."""
    parent = f"projects/{client.project}"
    found: list[_Api] = []
    for some in batched(names, _AT_ONCE):
        full = [f"{parent}/services/{name}" for name in some]
        found += client.ask("serviceusage:v1", "services.batchGet", _Apis, parent=parent, names=full).services
    return {last(api.name): api.state for api in found}


def _api(question: Question, state: str, project: str) -> Answer:
    match state:
        case "ENABLED":
            return fine(question, "enabled")
        case "DISABLED":
            fix = "`up` enables it; enable it now to have all questions answered"
            return refused(
                question, "not enabled", fix, f"gcloud services enable {question.subject} --project={project}"
            )
        case _:
            return unknown(question, "Service Usage does not list it")


class _Permissions(Reading):
    permissions: Sequence[str] = ()


_MOST_PERMISSIONS: Final = 100
"""Source: Resource Manager API v3, projects.testIamPermissions."""


def ask_rights(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether the caller has the permissions that the plan needs of each role."""
    needed = {one.subject: one.details["permissions"].split() for one in questions}
    granted: set[str] = set()
    for some in batched(sorted({name for names in needed.values() for name in names}), _MOST_PERMISSIONS):
        found = client.ask(
            "cloudresourcemanager:v3",
            "projects.testIamPermissions",
            _Permissions,
            resource=f"projects/{client.project}",
            body={"permissions": list(some)},
        )
        granted |= set(found.permissions)
    return [
        _right(one, [name for name in needed[one.subject] if name not in granted], client.project) for one in questions
    ]


def _right(question: Question, lacking: Sequence[str], project: str) -> Answer:
    if not lacking:
        return fine(question, "granted")
    fix = f"have {question.subject}, or a role of your own with these permissions, granted to you"
    command = f"gcloud projects add-iam-policy-binding {project} --member=user:YOU --role={question.subject}"
    return refused(question, f"you lack {', '.join(lacking)}", fix, command)


def ask_logins(who: str, questions: Sequence[Question]) -> list[Answer]:
    """Whether gcloud, which `kubectl` asks for a token, has the account of the application default credentials."""
    program = shutil.which("gcloud")
    if program is None:
        return [unknown(one, "gcloud is not on PATH") for one in questions]
    done = subprocess.run(
        [program, "config", "get", "account"], capture_output=True, text=True, check=False, timeout=_SECONDS
    )
    account = done.stdout.strip()
    return [_login(one, who, "" if done.returncode else account) for one in questions]


_SECONDS: Final = 20


def _login(question: Question, who: str, account: str) -> Answer:
    if not account or account == "(unset)":
        return refused(question, "gcloud has no account", "log in to both at once", _BOTH)
    if not who:
        return unknown(question, f"{account}; the application default credentials do not tell their address")
    if account != who:
        fix = f"`up` acts as {who}, kubectl as {account}: log in to both as one, unless both may use the cluster"
        return refused(question, account, fix, _BOTH)
    return fine(question, account)


_BOTH: Final = "gcloud auth login --update-adc"
