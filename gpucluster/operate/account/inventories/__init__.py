"""What bears the labels of a stack in an account, by the SDK of each cloud."""
