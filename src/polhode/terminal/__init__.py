"""What commands share: `options` and the groups of them, and `output` of tables, sentences and JSON."""
