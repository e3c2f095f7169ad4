"""What the tests of readers share with those of cost and policies."""

from __future__ import annotations

from tests.gpucluster.core.program.fixtures import make, recordings, run_program
from tests.policies.conftest import program

__all__ = ["make", "program", "recordings", "run_program"]
