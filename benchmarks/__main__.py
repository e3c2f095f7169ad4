"""`make bench`: every bar in one run; exits with 1 when one is missed."""

from __future__ import annotations

import os
import sys

from benchmarks import cost_plan, fresh_clone, preview, share
from benchmarks.bars import report

if __name__ == "__main__":
    # Where this is set, every preview compiles the SDKs anew: seconds that a user pays once, and that are not ours.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.exit(report([*preview.bars(), *share.bars(), *cost_plan.bars(), *fresh_clone.bars()]))
