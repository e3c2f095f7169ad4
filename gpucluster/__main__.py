"""`python -m gpucluster` runs the command `gpucluster`."""

from __future__ import annotations

from gpucluster.cli import main

main(prog_name="gpucluster")
