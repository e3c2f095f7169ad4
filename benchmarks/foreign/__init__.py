"""How many programs of others preview in the sandbox as they are: `make foreign CHECKOUT=FOLDER`."""
