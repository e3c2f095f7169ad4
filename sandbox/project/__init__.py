"""The Pulumi project around the current folder, and its stacks in the sandbox."""
