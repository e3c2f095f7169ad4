"""Common outputs of all Compute Engine resources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds import model
from gpucluster.sandbox.clouds.gcp.identity import LINKS, region_of, relative
from gpucluster.sandbox.clouds.model import random_hex
from gpucluster.sandbox.clouds.store.ledger import Entry


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
