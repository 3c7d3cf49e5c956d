"""What the routers share: running a use case, rendering resources, documenting what FastAPI does not see."""
