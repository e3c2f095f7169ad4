"""Google's discovery documents, as packaged in google-api-python-client."""
