"""What is kept on disk between runs: plans, compiled functions, and what files led to; and how to start from it."""
