"""How rules are run and served: the frame that every rule and pack uses."""
