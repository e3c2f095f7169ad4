"""The commands of `cost`, one a module."""
