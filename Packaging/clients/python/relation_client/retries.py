"""How a call is made again after an error that passes."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    """Attempts and waits. A write is sent again under the same request id, so it is done once."""

    #: How often a call is made at most, the first time included.
    attempts: int = 5
    #: The seconds before the second attempt; each further wait is twice as long.
    first_wait: float = 0.1
    #: The longest wait, unless the server asks for a longer one.
    longest_wait: float = 2.0
    #: The part of a wait by which chance makes it shorter or longer.
    jitter: float = 0.2

    def wait(self, attempts: int, asked: float | None = None) -> float:
        """The seconds to wait after so many attempts."""
        wait = min(self.first_wait * 2 ** min(attempts - 1, 30), self.longest_wait)
        wait *= random.uniform(1 - self.jitter, 1 + self.jitter)
        return max(wait, (asked or 0) * random.uniform(1, 1 + self.jitter))
