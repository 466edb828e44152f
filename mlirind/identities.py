"""What identifies a user's Python code in other processes, for the cache of compiled graphs: texts that the user gives. Imports nothing.

Two processes in which the code of an operator, a pass or a pattern has the same identity share graphs that it took part in. So an identity
must change whenever the code changes in what it does.
"""

from .errors import MlirindError

_operators: dict[str, str] = {}


def identify_operator(name: str, identity: str) -> None:
    """Gives the custom operator `name` ("namespace::name", all its overloads) an identity. It stands for what PyTorch runs of it while it
    traces: the fake function, the decomposition, the gradient's formula. Raises MlirindError for another name, and if the operator has
    another identity."""
    namespace, _, rest = name.partition("::")
    if not namespace or not rest or "." in rest:
        raise MlirindError(f"identify_operator: {name!r} is no name of an operator: want 'namespace::name', without an overload")
    if namespace in ("aten", "prims"):
        raise MlirindError(f"identify_operator: {name} is PyTorch's; its version identifies it")
    known = _operators.setdefault(name, checked_identity(identity, name))
    if known != identity:
        raise MlirindError(f"identify_operator: {name} has the identity {known!r} already, not {identity!r}")


def identity_of_operator(name: str) -> str | None:
    """The identity of the custom operator `name` ("namespace::name"); None if it has none."""
    return _operators.get(name)


def checked_identity(identity: str, owner: str) -> str:
    """The identity that a user gives. Raises MlirindError if it is no text, or empty."""
    if not isinstance(identity, str) or not identity:
        raise MlirindError(f"{owner}: identity={identity!r}, want a text that changes with the code, such as a version")
    return identity
