"""Rehearsals of jobs on a stack's living cluster: what of them would run, where, and for how much."""
