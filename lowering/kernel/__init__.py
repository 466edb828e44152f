"""What both targets know of a kernel before they schedule it."""
