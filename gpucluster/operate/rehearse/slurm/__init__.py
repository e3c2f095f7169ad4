"""Rehearsal of batch scripts by Slurm's own controller on emulated nodes."""
