"""The edit that fixes a finding, in the resource's own terms."""

from __future__ import annotations

import json
from typing import Any

from gpucluster.policies.label_sets import Place
from gpucluster.record import record


@record
class Edit:
    """
    place: the property to write, by the engine's names.
    value: the members to set in a map, or the elements to append to a list; a text that only the user can choose is
        empty.
    """

    place: Place
    value: Any

    @property
    def path(self) -> str:
        """The place as one path, e.g. `tagSpecifications[0].tags`."""
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.place)
        return steps.removeprefix(".")

    @property
    def snippet(self) -> str:
        """The value as JSON, to be pasted."""
        return json.dumps(self.value)
