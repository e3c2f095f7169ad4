"""Types of resources: SDKs, schemas, values, limits."""
