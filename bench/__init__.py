"""How fast polhode is, as ratios to its peers on the same models in the same run: `python -m bench`."""
