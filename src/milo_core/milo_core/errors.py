"""The base of all errors that a user may see."""


class MiloError(Exception):
    """Something the user can mend; the message is one sentence that names the cure."""
