"""What Headroom runs in the user's Python: dry runs on fake tensors, and probes on a real GPU."""
