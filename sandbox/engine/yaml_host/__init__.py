"""The language host of Pulumi programs in YAML, for an engine that was built and brings none."""
