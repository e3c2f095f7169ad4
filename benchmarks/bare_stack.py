"""The trial stack without costs: what the costed preview is compared with."""

from __future__ import annotations

import gc

from gpucluster.components.declare import declare, running_stack
from gpucluster.components.stack_plan import plan_stack
from gpucluster.cost import plan_prices

gc.disable()  # as the stack does: what is compared is the costing
declare(plan_stack(running_stack(), plan_prices))
