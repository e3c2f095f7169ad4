"""Training pools of `cluster.yaml`, one for each of the mistakes that the stack's configuration names."""

from __future__ import annotations

import datetime
import importlib.metadata
import re
from pathlib import Path
from typing import Any

import pulumi
import yaml
from laid import laid

WRITTEN = yaml.safe_load(Path(__file__).with_name("cluster.yaml").read_text())
REFERENCE = re.compile(r"\$\{([\w-]+)\.(\w+)\}")
mistakes = (pulumi.Config().get("mistake") or "none").split()


class Cluster(pulumi.ComponentResource):
    """What a component of somebody else's would look like: it only registers facts."""

    def __init__(self, mistake: str) -> None:
        # With several mistakes the resources of each cluster have names of their own.
        self.prefix = "" if len(mistakes) == 1 else f"{mistake}-"
        super().__init__("example:index:Cluster", f"{self.prefix}trial")
        changed = laid(WRITTEN, WRITTEN["mistakes"].get(mistake, {}).get("change", {}))
        self.declared = changed["resources"]
        self.read = {name: set[str]() for name in self.declared}
        for name, output in REFERENCE.findall(str(list(self.declared.values()))):
            self.read[name].add(output)
        self.made: dict[str, pulumi.Resource] = {}
        for name in self.declared:
            self.make(name)
        self.register_outputs(self.filled(changed["facts"]))

    def make(self, name: str) -> pulumi.Resource:
        if name not in self.made:
            of = self.declared[name]
            properties = dict.fromkeys(self.read[name] - {"id"}) | self.filled(of["properties"])
            if "clusterName" in properties:  # machines of one EKS cluster are one pool
                properties["clusterName"] = f"{self.prefix}{properties['clusterName']}"
            package = of["type"].removeprefix("pulumi:providers:").partition(":")[0]
            opts = pulumi.ResourceOptions(
                parent=self,
                version=importlib.metadata.version(f"pulumi_{package.replace('-', '_')}"),
                provider=self.make(of["provider"]) if "provider" in of else None,  # pyright: ignore[reportArgumentType]
                depends_on=[self.make(other) for other in of.get("after", [])],
            )
            if of["type"].startswith("pulumi:providers:"):
                self.made[name] = pulumi.ProviderResource(package, self.prefix + name, properties, opts)
            else:
                self.made[name] = pulumi.CustomResource(of["type"], self.prefix + name, properties, opts)
        return self.made[name]

    def filled(self, value: Any) -> Any:
        """A value with its references, and with the day that an exemption may end."""
        if isinstance(value, dict):
            return {key: self.filled(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.filled(inner) for inner in value]
        if value == "in 30 days":
            return str(datetime.date.today() + datetime.timedelta(days=30))
        named = REFERENCE.fullmatch(value) if isinstance(value, str) else None
        return getattr(self.make(named[1]), named[2]) if named else value


for mistake in mistakes:
    Cluster(mistake)
