"""What talks to a cloud account once a stack stands, by the clouds' own command lines."""
