"""Estimates of stacks: totals, budgets, teams, labels, the cost of a trial."""
