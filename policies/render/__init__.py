"""Forms of a report: one function a file, from `policies.report.Report` to text."""
