"""Guardrails: rules for the resources a program declares, run in `pulumi preview`, in `pulumi up` and on files."""
