"""The controllers' charts, from their Go modules, rendered by Helm's engine with the values of the stack."""
