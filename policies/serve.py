"""Serve a pack to the engine. A pack is a folder with a `PulumiPolicy.yaml` and a `__main__.py` that calls this."""

from __future__ import annotations

from pulumi_policy import PolicyPack

from gpucluster.policies.pack import Pack
from gpucluster.policies.pulumi_policies import to_policies

__all__ = ["serve"]


def serve(pack: Pack) -> None:
    """Answer the engine; never returns."""
    PolicyPack(name=pack.name, description=pack.description, policies=to_policies(pack))
