"""Facts about values that passes share. Nothing here changes the IR."""
