"""What the values of replies have in common."""

from __future__ import annotations

import datetime as dt
from typing import Any, ClassVar, cast


def timestamp(text: str) -> dt.datetime:
    """Read a time of the API."""
    return dt.datetime.fromisoformat(text)


def calendar_date(text: str) -> dt.date:
    """Read a date of the API."""
    return dt.date.fromisoformat(text)


def _convert(how: Any, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(how, list):
        one = cast("list[Any]", how)[0]
        return [_convert(one, v) for v in cast("list[Any]", value)]
    if isinstance(how, dict):
        of = cast("dict[str, Any]", how)[""]
        return {k: _convert(of, v) for k, v in cast("dict[str, Any]", value).items()}
    return how(value)


class Model:
    """A value of a reply. Its fields are attributes; ``raw`` is the value as it came.

    A field that this version does not know is an attribute too, as it came. A name that is a word of
    Python ends with an underscore: ``from_``.
    """

    _read: ClassVar[dict[str, Any]] = {}

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw

    def __getattr__(self, name: str) -> Any:
        if name == "raw" or name.startswith("__"):
            raise AttributeError(name)  # copy and pickle ask for these before the value is there
        key = name.rstrip("_")
        if key not in self.raw and name in type(self).__annotations__:
            return None  # the reply may lack it
        if name.startswith("_") or key not in self.raw:
            raise AttributeError(f"{type(self).__name__} has no field {key!r}")
        value = self._value(key)
        self.__dict__[name] = value
        return value

    def _value(self, key: str) -> Any:
        how = self._read.get(key)
        value = self.raw[key]
        return value if how is None else _convert(how, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.raw == other.raw

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.raw!r})"


class EventModel(Model):
    """An event, whose data follows from its type."""

    _data_of: ClassVar[dict[str, Any]] = {}

    def _value(self, key: str) -> Any:
        if key == "data" and isinstance(self.raw["data"], dict):
            return self._data_of.get(self.raw.get("type", ""), Model)(self.raw["data"])
        return super()._value(key)
