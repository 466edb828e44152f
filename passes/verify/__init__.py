"""The verifiers, one a file. `docs/invariants.md` lists what each proves."""
