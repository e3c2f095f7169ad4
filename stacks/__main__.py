"""One stack: configuration -> spec -> plan -> component -> costed plan."""

from __future__ import annotations

import pulumi

from components.clouds import declare, running_stack
from components.input_error import InputError
from components.refusal import refuse
from components.spec_file import read_spec
from cost.preview import costed_plan, watch
from cost.storage_price import storage_price

resources = watch()
try:
    config = running_stack()
    declare(read_spec(config.spec), config, storage_price=storage_price)
except InputError as error:
    refuse(error)
for name, total in costed_plan(resources).items():
    pulumi.export(name, total)
