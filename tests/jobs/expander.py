"""Kubeflow Trainer's and JobSet's own code, for tests of jobs: `python tests/jobs/expander.py` builds it ahead."""

from __future__ import annotations

import sys
from pathlib import Path

from gpucluster.sandbox.engine.go_build import go_program
from gpucluster.sandbox.engine.progress import Say

__all__ = ["expander"]


def expander(say: Say) -> Path:
    """The program in the folder `trainer-expand`."""
    return go_program(Path(__file__).parent / "trainer-expand", ".", say)


if __name__ == "__main__":
    expander(lambda line: print(line, file=sys.stderr, flush=True))
