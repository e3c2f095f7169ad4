"""One stack: configuration -> spec -> plan -> component -> costed plan."""

from __future__ import annotations

import gc

import gpucluster
from gpucluster.components.resources.run import refusing
from gpucluster.components.stack.declaration import declare, export, read_trial_start, running_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost.pricing import plan_prices

# The SDKs' modules are hundreds of thousands of objects that live to the end: the collector would walk them again and
# again as they load (a quarter of the program's time), to find next to nothing.
gc.disable()
# Asks the engine, which runs what is queued: before anything is, since a plan that is refused takes its queue back.
begun = read_trial_start()
with gpucluster.watch(), refusing():
    plan = plan_stack(running_stack(), plan_prices)
    export(declare(plan), plan.facts.duration_days, begun)
