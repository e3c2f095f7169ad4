"""The commands about specs and stacks."""
