"""What of an account's use is the stack's own: a second `up` needs no room for what the first one made. The use of
other stacks is separate, for the sandbox, which may have them too.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gpucluster.operate.clients.aws.caller import Caller


@dataclass
class Own:
    """Resources with the tags of a stack. name: of its cluster; its resources' names begin with it."""

    caller: Caller
    name: str
    stack: str
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def stack_of(self, tags: Iterable[Mapping[str, str]]) -> str:
        """The stack of a resource with these tags; empty for none. Another project may have one of the same name, whose
        resources belong to no stack here.
        """
        found = {tag["Key"]: tag["Value"] for tag in tags}
        stack = found.get("pulumi-stack", "")
        return "" if stack == self.stack and not found.get("Name", "").startswith(f"{self.name}-") else stack

    def machines(self) -> list[Any]:
        """Its instances that run or start, as EC2 describes them."""
        return [one for one in self._all() if self.stack_of(one.get("Tags", [])) == self.stack]

    def _all(self) -> list[Any]:
        """Those of every stack; asked once."""
        with self._lock:
            return self._machines

    @cached_property
    def _machines(self) -> list[Any]:
        filters = [
            {"Name": "tag-key", "Values": ["pulumi-stack"]},
            {"Name": "instance-state-name", "Values": ["pending", "running"]},
        ]
        pages = self.caller.pages("ec2", "describe_instances", "Reservations", Filters=filters)
        return [one for page in pages for one in page["Instances"]]

    def vcpus(self, types: str, *, spot: bool, reserved: bool) -> Counter[str]:
        """By stack, of machines that count in a quota of vCPUs. types: the form of their types. reserved: the plan has
        a reservation, which counts by itself, so the machines in it do not.
        """
        found: Counter[str] = Counter()
        for one in self._all():
            stack = self.stack_of(one.get("Tags", []))
            held = one.get("CapacityReservationId") and (reserved or stack != self.stack)
            lifecycle = one.get("InstanceLifecycle", "")
            if re.match(types, one["InstanceType"]) and lifecycle == ("spot" if spot else "") and not held:
                found[stack] += one["CpuOptions"]["CoreCount"] * one["CpuOptions"]["ThreadsPerCore"]
        return found

    def in_reservation(self, id_: str) -> int:
        """Its machines in a reservation."""
        return sum(one.get("CapacityReservationId") == id_ for one in self.machines())
