"""What several documents say in the same words, and plain values that several models have."""
