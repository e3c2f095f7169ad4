"""Google's discovery documents, as google-api-python-client has them."""
