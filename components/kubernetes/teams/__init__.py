"""Namespaces, workspaces and identities of teams."""
