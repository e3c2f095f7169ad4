"""Creates objects of a rehearsal in a cluster and deletes them, with all objects that controllers created for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from gpucluster.rehearse.family import Families
from gpucluster.rehearse.manifests import Manifest
from gpucluster.rehearse.outcome import Outcome, refused
from gpucluster.rehearse.pools import listed, name_of
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.type_guards import mapping

Say = Callable[[str], None]

_TICK_SECONDS: Final = 0.5
_GONE_SECONDS: Final = 20.0
_CLAIM: Final = ("karpenter.sh/v1", "NodeClaim")


class Stage:
    """Creates and deletes objects. outcomes: collects the server's refusals."""

    def __init__(self, client: Client, outcomes: list[Outcome], say: Say) -> None:
        self.families = Families(client)
        self._client, self._outcomes, self._say = client, outcomes, say
        self._claims = _claims(client)

    @contextmanager
    def submitted(self, manifests: Sequence[Manifest]) -> Generator[list[tuple[Manifest, str]]]:
        """The created objects, with their uids; deleted afterwards, with the machines that were started for them."""
        made: list[tuple[Manifest, str]] = []
        try:
            for manifest in manifests:
                try:
                    there = self._client.create(manifest.body)
                except ObjectRefused as refusal:
                    self._outcomes.append(refused(manifest, str(refusal)))
                else:
                    made.append((manifest, str(mapping(there.get("metadata")).get("uid"))))
            yield made
        finally:
            self._take_away(made)

    def _take_away(self, made: Sequence[tuple[Manifest, str]]) -> None:
        with suppress(ObjectRefused):
            self._made_for(made)
        for manifest, _ in reversed(made):
            self._client.delete(manifest.body)
        self._wait_until_gone(lambda: [*self._still_there(made), *self._made_for(made)])
        claims = [_claim(name) for name in _claims(self._client) - self._claims]
        for claim in claims:
            self._client.delete(claim)
        self._wait_until_gone(lambda: [f"NodeClaim {name_of(claim)}" for claim in claims if self._client.get(claim)])

    def _made_for(self, made: Sequence[tuple[Manifest, str]]) -> list[str]:
        """Objects that controllers created for these. A call before their deletion records the ownership."""
        return [
            one
            for manifest, uid in made
            if manifest.makes_pods
            for one in self.families.made_for(uid, manifest.namespace)
        ]

    def _still_there(self, made: Sequence[tuple[Manifest, str]]) -> list[str]:
        return [
            manifest.title
            for manifest, uid in made
            if mapping(mapping(self._client.get(manifest.body)).get("metadata")).get("uid") == uid
        ]

    def _wait_until_gone(self, look: Callable[[], list[str]]) -> None:
        """Kubernetes deletes an object's dependents after the object, kind by kind."""
        end = time.monotonic() + _GONE_SECONDS
        while left := look():
            if time.monotonic() > end:
                self._say(f"still exists {_GONE_SECONDS:.0f} s after deletion: {', '.join(left)}")
                return
            time.sleep(_TICK_SECONDS)


def _claim(name: str) -> Mapping[str, Any]:
    return {"apiVersion": _CLAIM[0], "kind": _CLAIM[1], "metadata": {"name": name}}


def _claims(client: Client) -> set[str]:
    return {name_of(item) for item in listed(client, *_CLAIM)}
