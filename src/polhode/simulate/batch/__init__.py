"""Many runs at once: their members, what runs them, and the batch that they leave."""
