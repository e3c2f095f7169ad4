"""`make bench`: every benchmark, one after the other."""

from __future__ import annotations

from benchmarks import preview, share

share.main()
preview.main()
