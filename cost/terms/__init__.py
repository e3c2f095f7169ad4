"""The agreed terms of an account with its cloud: a support plan, and a discount on list prices."""
