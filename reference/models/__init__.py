"""Tiny models for the golden cases, and the model that comes with the repository."""
