"""From a stack's configuration, or a Python program, to a declared cluster."""
