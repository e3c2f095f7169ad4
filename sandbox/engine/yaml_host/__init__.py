"""The language host of Pulumi programs in YAML, for a built engine, which includes none."""
