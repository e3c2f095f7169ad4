"""Commands for quotes, pull requests, accounts and running clusters."""
