"""Judges that are not ours: what vendors publish about their resources, held against any Pulumi plan."""
