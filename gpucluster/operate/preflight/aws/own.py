"""What of an account's use is the stack's own: a second `up` needs no room for what the first one made."""

from __future__ import annotations

import re
import threading
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

    def has(self, tags: Iterable[Mapping[str, str]]) -> bool:
        """Whether a resource with these tags is the stack's."""
        found = {tag["Key"]: tag["Value"] for tag in tags}
        return found.get("pulumi-stack") == self.stack and found.get("Name", "").startswith(f"{self.name}-")

    def machines(self) -> list[Any]:
        """Its instances that run or start, as EC2 describes them; asked once."""
        with self._lock:
            return self._machines

    @cached_property
    def _machines(self) -> list[Any]:
        filters = [
            {"Name": "tag:pulumi-stack", "Values": [self.stack]},
            {"Name": "instance-state-name", "Values": ["pending", "running"]},
        ]
        pages = self.caller.pages("ec2", "describe_instances", "Reservations", Filters=filters)
        return [one for page in pages for one in page["Instances"] if self.has(one.get("Tags", []))]

    def vcpus(self, types: str, *, spot: bool, reserved: bool) -> int:
        """Of its machines that count in a quota of vCPUs. types: the form of their types. reserved: the plan has a
        reservation, which counts by itself, so the machines in it do not.
        """
        return sum(
            one["CpuOptions"]["CoreCount"] * one["CpuOptions"]["ThreadsPerCore"]
            for one in self.machines()
            if re.match(types, one["InstanceType"])
            and one.get("InstanceLifecycle", "") == ("spot" if spot else "")
            and not (reserved and one.get("CapacityReservationId"))
        )

    def in_reservation(self, id_: str) -> int:
        """Its machines in a reservation."""
        return sum(one.get("CapacityReservationId") == id_ for one in self.machines())
