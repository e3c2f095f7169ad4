"""The entry point that `pulumi --policy-pack policies` starts: serves the training pack and never returns.

It runs with this folder first on the import path, so everything is imported by its full name, `policies.<module>`.
"""

from __future__ import annotations

from pulumi_policy import PolicyPack

from policies.pulumi_policies import to_policies
from policies.training import PACK

PolicyPack(name=PACK.name, description=PACK.description, policies=to_policies(PACK))
