"""Functions that algebra does not look into: tables of numbers, and functions that a user gives in C or Python.

They lie under the expression graph and under the generated code alike, and know neither.
"""
