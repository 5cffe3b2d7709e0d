"""What Headroom runs in the user's Python: dry runs on fake tensors."""
