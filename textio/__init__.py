"""Untrusted text: YAML that users write, and output to their terminal."""
