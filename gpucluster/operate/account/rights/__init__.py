"""Permissions that the identity that runs `up` needs, from the types of a plan."""
