"""`make bench`: every benchmark, one after the other."""

from __future__ import annotations

from benchmarks import cost_plan, preview, share

share.main()
cost_plan.main()
preview.main()
