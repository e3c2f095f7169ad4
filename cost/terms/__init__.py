"""What an account has agreed with its cloud: a plan of support, and a discount on list prices."""
