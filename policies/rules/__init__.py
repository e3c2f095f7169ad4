"""One rule per file; `policies.training` selects them."""
