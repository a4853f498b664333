"""The commands of `polhode`, one file each; `polhode.cli` gives them their options."""
