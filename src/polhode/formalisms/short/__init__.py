"""The recursions once more, with what saves operations: `derive` takes these wherever a tree may be rewritten.

Each file says what it saves against the book's beside which it stands; both give the same functions, by fingerprint.
"""
