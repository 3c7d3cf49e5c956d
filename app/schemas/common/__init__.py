"""Field types, numbers, problems and examples that all schemas share."""
