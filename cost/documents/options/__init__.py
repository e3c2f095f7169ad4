"""The purchase options of a stack."""
