"""Option `check`: compiled graphs are compared with eager's results, and the first wrong pass, rewrite and kernel is found."""
