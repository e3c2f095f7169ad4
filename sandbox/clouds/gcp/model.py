"""Google Cloud resources as models and rules see them: ids, common outputs, the registries of both, and the form of the
errors.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from gpucluster.sandbox.clouds import model
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.model import Rules, random_hex
from gpucluster.sandbox.clouds.store.ledger import Entry

DOMAIN: Final = "sandbox.invalid"
"""Top-level domain `invalid` never resolves (RFC 2606)."""

LINKS: Final = "https://www.googleapis.com/compute/v1/"
"""Prefix of Compute Engine's self links; the sandbox never opens one."""

EXAMPLES: Final = {"project": "my-project", "region": "us-central1", "zone": "us-central1-a"}
"""Examples of the settings that give a place to what a program declares without one."""

_LINK: Final = r"(?:https?:)?//[^/]+/(?:[a-z]+/)?(?:v\d\w*|beta|alpha)/"
_ZONE: Final = r"[a-z]+-[a-z]+\d+-[a-z]"

# Zone letters of regions with others than a, b and c (Compute Engine documentation, "Regions and zones").
_LETTERS: Final = {"us-central1": "abcf", "us-east1": "bcd", "europe-west1": "bcd"}


def relative(reference: str) -> str:
    """A reference without the host of a self link: `projects/P/global/networks/N`; others unchanged."""
    return re.sub(_LINK, "", reference, count=1)


def forms(path: str) -> tuple[str, ...]:
    """The forms of a reference to a full path, for a ledger's `mentioning`: path or link, path without its project,
    name.
    """
    parts = path.split("/")
    return (path, "/".join(parts[2:]), parts[-1])


def is_zone(location: str) -> bool:
    """Whether a location is a zone rather than a region."""
    return re.fullmatch(_ZONE, location) is not None


def region_of(location: str) -> str:
    """The region of a zone; a region is returned unchanged."""
    return location.rsplit("-", 1)[0] if is_zone(location) else location


def zones_of(region: str) -> list[str]:
    """The zones of a region."""
    return [f"{region}-{letter}" for letter in _LETTERS.get(region, "abc")]


def number_of(project: str) -> str:
    """The number of a project: twelve digits derived from its id."""
    return str(10**11 + int(hashlib.sha256(project.encode()).hexdigest(), 16) % (9 * 10**11))


def number() -> str:
    """An id in Compute Engine's form: nineteen digits."""
    return str(10**18 + int(random_hex(14), 16))


def made(managed: ManagedResource) -> dict[str, Any]:
    """Its creation time, project and self link."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        "creationTimestamp": managed.keep("creationTimestamp", lambda: now),
        "project": managed.project,
        "selfLink": managed.link,
    }


@dataclass(frozen=True, kw_only=True)
class ManagedResource(model.ManagedResource):
    """A resource of Google Cloud during a create or update.

    scope: its project.
    region, zone, location: from its inputs, else from the provider's settings; empty if missing in both.
    labels: its effective labels.
    """

    provider: str = "gcp"
    region: str
    zone: str
    location: str
    labels: Mapping[str, str]

    @property
    def project(self) -> str:
        """Its project."""
        return self.scope

    @property
    def link(self) -> str:
        """Its self link."""
        return f"{LINKS}{self.id}"

    def path(self, reference: Any, under: str) -> str:
        """The full path of a reference, which may be a self link, a path or a name.

        under: the path before a name, without the project, e.g. `global/networks`.
        """
        text = relative(str(reference or ""))
        if text.startswith("projects/"):
            return text
        return f"projects/{self.project}/{text}" if "/" in text else f"projects/{self.project}/{under}/{text}"

    def at(self, token: str, path: str) -> Entry | None:
        """The resource of a type at a full path, in any project."""
        parts = path.split("/")
        return self.ledger.get("gcp", parts[1], token, path) if len(parts) > 1 else None

    def network(self, reference: Any) -> Entry | None:
        """The network of a reference."""
        return self.at("gcp:compute/network:Network", self.path(reference, "global/networks"))

    def subnetwork(self, reference: Any) -> Entry | None:
        """The subnetwork of a reference."""
        under = f"regions/{region_of(self.region or self.location)}/subnetworks"
        return self.at("gcp:compute/subnetwork:Subnetwork", self.path(reference, under))


_Outputs = Callable[[ManagedResource], Mapping[str, Any]]

MODELS: model.Models[ManagedResource] = model.Models(keeping=frozenset({"labels", "resourceLabels"}))
"""By type token, registered by the modules of `models/`."""


def models(token: str, *, id: str | Callable[[ManagedResource], str], **more: Any) -> Callable[[_Outputs], _Outputs]:
    """Registers a function as the computed outputs of a type.

    id: may be a template with project, region, zone, location and name, and inputs by their own names, as in the
    provider's `ReplaceVars`.
    more: as in `model.Models.register`.
    """

    def make_id(managed: ManagedResource) -> str:
        if not isinstance(id, str):
            return id(managed)
        places = {
            "project": managed.project,
            "region": managed.region,
            "zone": managed.zone,
            "location": managed.location,
        }
        return id.format_map({**managed.inputs, **places, "name": managed.name})

    return MODELS.register(token, id=make_id, **more)


RULES: Rules[ManagedResource] = Rules()
rule = RULES.rule


def refused(managed: ManagedResource, message: str, *, status: int = 400, reason: str = "badRequest") -> CloudError:
    """An error in the provider's wording: its action, and the API's status, text and reason."""
    doing = "updating" if managed.previous else "creating"
    kind = managed.token.rsplit(":", 1)[-1]
    name = f' "{managed.id if managed.previous else managed.name or managed.id}"'
    return CloudError(f"Error {doing} {kind}{name}: googleapi: Error {status}: {message}, {reason}")


def kept_from(managed: ManagedResource, what: str) -> CloudError:
    """Refuses a request that the API would accept and that then does not work; the error states this.

    what: the consequence in a real project.
    """
    kind = managed.token.rsplit(":", 1)[-1]
    return CloudError(f'the sandbox does not make {kind} "{managed.name}", though a real project would: {what}')
