"""What a user holds and calls, at the outer edge: nothing is loaded when this is imported.

names    the names that `import polhode` offers
system   what the methods of a System reach: equations, comparison, diagnosis, the vector language
"""
