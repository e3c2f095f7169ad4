"""What whoever runs `up` has to be allowed, from the types of a plan."""
