"""`make bench`: every bar in one run; exits with 1 when one is missed.

Previews are those of the trial stacks named, such as `python -m benchmarks gcp-trial`; of all that are known without.
"""

from __future__ import annotations

import os
import sys

from benchmarks import cost_plan, fresh_clone, guardrails, preview, pull_request, share
from benchmarks.bars import report

if __name__ == "__main__":
    # Where this is set, every preview compiles the SDKs anew: seconds that a user pays once, and that are not ours.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    stacks = sys.argv[1:] or [f"{cloud}-trial" for cloud in share.SDKS]
    of_stacks = [bar for stack in stacks for part in (preview, share) for bar in part.bars(stack)]
    sys.exit(report([*of_stacks, *cost_plan.bars(), *guardrails.bars(), *pull_request.bars(), *fresh_clone.bars()]))
