"""Microsoft's azurerm provider, built from its Go module, as a judge of azure-native."""
