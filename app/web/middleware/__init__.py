"""Pure ASGI middleware."""
