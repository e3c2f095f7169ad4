"""How many third-party programs preview in the sandbox unchanged: `make foreign CHECKOUT=FOLDER`."""
