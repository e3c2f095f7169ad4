"""One view of a Pulumi program, whatever it is read from: `resources` and their `values`; `readers` of each source."""
