"""Wording shared by several documents, and plain values shared by several models."""
