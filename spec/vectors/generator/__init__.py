"""An implementation of spec/*.md in plain Python, written for clearness alone, and the recipes of the golden files."""
