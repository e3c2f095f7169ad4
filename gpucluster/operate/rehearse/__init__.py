"""Rehearsals of jobs on a stack's live cluster: which would run, their nodes, and their cost."""
