"""The wire's models where the core has none of its own, each beside the function that fills it.

The models only document (OpenAPI, generated clients): answers go from the core to a dict to bytes once, because
validating our own answers would cost as much as scoring.
"""
