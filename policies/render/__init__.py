"""Output formats of a report: one function per file, from `policies.report.Report` to text."""
