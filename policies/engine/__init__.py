"""How rules are written, run and served: the frame that every rule and pack uses."""
