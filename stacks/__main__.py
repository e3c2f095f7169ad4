"""One stack: configuration -> spec -> plan -> component -> costed plan."""

from __future__ import annotations

from pathlib import Path

import pulumi

from components.clouds import declare
from components.plan import PlanError
from components.spec_file import SpecError, read_spec
from cost.preview import costed_plan, watch
from cost.storage_price import storage_price

resources = watch()
config = pulumi.Config()
try:
    spec = read_spec(Path(config.require("spec")))
    declare(spec, config, stack=pulumi.get_stack(), storage_price=storage_price)
except (SpecError, PlanError) as error:
    raise pulumi.RunError(str(error)) from None
for name, total in costed_plan(resources).items():
    pulumi.export(name, total)
