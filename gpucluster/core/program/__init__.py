"""One view of a Pulumi program from any source: `resources` and their `values`; `readers` of each source."""
