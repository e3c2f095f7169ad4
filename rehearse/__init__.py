"""Rehearsals of jobs on a stack's live cluster: what of them would run, where, and for how much."""
