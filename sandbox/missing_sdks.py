"""Explains the failure of a command on a stack whose state needs an SDK that is not installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.sdk import Sdk, how_to_install

_PROVIDER: Final = "pulumi:providers:"
_OWN: Final = frozenset({"gpucluster", "pulumi"})
"""Providers without their own SDK: the clusters, which programs in other languages name by their folder, and the
engine."""


def missing_sdks(resources: Iterable[Mapping[str, Any]], sdks: Mapping[str, Sdk]) -> list[str]:
    """A line for each provider in a stack's state whose package has no installed SDK."""
    types = {str(resource["type"]) for resource in resources}
    packages = {type_.removeprefix(_PROVIDER) for type_ in types if type_.startswith(_PROVIDER)}
    return [
        f"The state has resources of {name}, which {how_to_install(name)}" for name in sorted(packages - {*sdks, *_OWN})
    ]
