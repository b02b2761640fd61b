"""Lists, which are read page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

from molar.core import Call, Core

T = TypeVar("T")


@dataclass
class Page(Generic[T]):
    """One page of a list."""

    data: list[T]
    next_cursor: str | None
    """None on the last page."""


class List(Generic[T]):
    """A list of the API: iterate over it for every item of every page."""

    def __init__(self, core: Core, call: Call, of: Callable[[dict[str, Any]], T]) -> None:
        self._core = core
        self._call = call
        self._of = of

    def page(self, cursor: str | None = None) -> Page[T]:
        """Return one page: the first, or the one that a cursor names."""
        call = self._call
        if cursor is not None:
            call = replace(call, query={**(call.query or {}), "cursor": cursor})
        read = self._core.json(call)
        items = cast("list[dict[str, Any]]", read["data"])
        return Page([self._of(item) for item in items], read.get("next_cursor"))

    def __iter__(self) -> Iterator[T]:
        cursor: str | None = None
        while True:
            page = self.page(cursor)
            yield from page.data
            if page.next_cursor is None:
                return
            cursor = page.next_cursor
