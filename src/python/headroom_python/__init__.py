"""What Headroom runs in the user's Python: dry runs on fake tensors, probes on a real GPU, lengths of texts."""
