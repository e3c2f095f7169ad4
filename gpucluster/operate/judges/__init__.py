"""Vendor judges: check any Pulumi plan against the schemas that vendors publish for their resources."""
