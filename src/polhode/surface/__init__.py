"""What a user holds and calls, at the outer edge: nothing is loaded when this is imported.

names       the names that `import polhode` offers
load        a mechanism from a file, read when it must be
system      what the methods of a System reach: equations, comparison, diagnosis, the vector language
equations   what `System.derive` returns
"""
