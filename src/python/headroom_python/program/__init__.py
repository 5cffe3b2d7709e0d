"""Runs somebody's training command, unmodified, on a GPU that is not there."""
