"""The enumerations of the azure-native SDK, which is generated from Microsoft's specifications of its APIs."""
