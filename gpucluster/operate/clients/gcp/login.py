"""The caller and the project that the application default credentials may use."""

from __future__ import annotations

from typing import Any

from gpucluster.operate.clients.cannot_ask import CannotAsk, explaining
from gpucluster.operate.clients.gcp import client as clients
from gpucluster.operate.clients.gcp.client import Client, Reading
from gpucluster.operate.clients.gcp.errors import denied, explained, missing_api


def client_at(project: str) -> tuple[Client, str]:
    """A client of a project, and the caller, empty if the login does not tell. Raises CannotAsk without usable
    credentials, and for a project that they cannot see.
    """
    with explaining(explained):
        credentials = clients.credentials_for(project)
        client = Client(project=project, session=clients.session_of(credentials))
        who = _who(client, credentials)
        _check_project(client, who)
    return client, who


class _Person(Reading):
    email: str = ""


def _who(client: Client, credentials: Any) -> str:
    """The e-mail address of the caller; empty if the login does not tell it. Raises RefreshError for an expired one."""
    account = getattr(credentials, "service_account_email", "")
    if account and account != "default":
        return account
    try:
        return client.ask("oauth2:v2", "userinfo.get", _Person).email
    except clients.HttpError:
        # A login without the scope of the address.
        return ""


def _check_project(client: Client, who: str) -> None:
    try:
        client.ask("cloudresourcemanager:v3", "projects.get", Reading, name=f"projects/{client.project}")
    except clients.HttpError as error:
        if missing_api(error) or not denied(error):
            return
        raise CannotAsk(
            f"{who or 'the caller'} cannot use the project {client.project}: it does not exist, another account has "
            "access to it, or the caller lacks resourcemanager.projects.get or serviceusage.services.use",
            "write the id of the project as the stack's project, or log in with the account that has access",
            "gcloud projects list",
        ) from error
