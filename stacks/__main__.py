"""One stack: configuration -> spec -> plan -> component -> costed plan."""

from __future__ import annotations

import gc

import pulumi

from gpucluster.components.clouds import declare, running_stack
from gpucluster.components.refusal import refuse
from gpucluster.components.stack_plan import plan_stack
from gpucluster.cost import plan_prices
from gpucluster.cost.preview import costed_plan, watch
from gpucluster.cost.prices import BadPrices, DamagedBook
from gpucluster.errors import InputError

# The SDKs' modules are hundreds of thousands of objects that live to the end: the collector would walk them again and
# again as they load (a quarter of the program's time), to find next to nothing.
gc.disable()
resources = watch()
try:
    declare(plan_stack(running_stack(), plan_prices))
except BadPrices as error:
    refuse(InputError("your prices", str(error).splitlines()))
except DamagedBook as error:
    raise pulumi.RunError(str(error)) from None
except InputError as error:
    refuse(error)
for name, total in costed_plan(resources).items():
    pulumi.export(name, total)
