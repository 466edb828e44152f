"""The HTML report: one page without network that shows what the compiler made of a program."""
