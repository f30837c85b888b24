"""Deterministic gates for work written by agents."""


def __getattr__(name: str) -> object:
    from gatewright import _api

    return _api.load(name, globals())


def __dir__() -> list[str]:
    from gatewright import _api

    return _api.names()
