"""The trial stack without costs: the baseline of the costed preview."""

from __future__ import annotations

import gc

from gpucluster.components.stack.declaration import declare, running_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost.pricing import plan_prices

gc.disable()  # as in the stack: only costing is compared
declare(plan_stack(running_stack(), plan_prices))
gc.freeze()
