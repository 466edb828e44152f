"""Why a match or a replacement is refused."""


class Refused(Exception):
    """A match or a replacement that is refused; the message is the reason."""
