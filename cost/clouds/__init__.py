"""One file a cloud; `cost.cloud_parts` says what is in it."""
