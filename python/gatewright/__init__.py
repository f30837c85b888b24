"""Deterministic gates for work written by agents."""


def __getattr__(name: str) -> object:
    from gatewright._api import load

    return load(name, globals())


def __dir__() -> list[str]:
    from gatewright._api import names

    return names()
