"""Deterministic gates for work written by agents."""
