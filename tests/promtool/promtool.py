"""Prometheus' own promtool, for tests of alerts. `python tests/promtool/promtool.py` builds it ahead of them."""

from __future__ import annotations

import sys
from pathlib import Path

from gpucluster.sandbox.engine.go_build import go_program
from gpucluster.sandbox.engine.progress import Say

__all__ = ["promtool"]


def promtool(say: Say) -> Path:
    """The program. It discovers nothing here, and the clouds' SDKs would be most of it."""
    package = "github.com/prometheus/prometheus/cmd/promtool"
    return go_program(Path(__file__).parent, package, say, tags=["remove_all_sd"])


if __name__ == "__main__":
    promtool(lambda line: print(line, file=sys.stderr, flush=True))
