"""How the tests wait for something that another process does."""

import time

#: How long anything is waited for.
SECONDS = 60


def until(is_true, words, seconds=SECONDS):
    """Waits until it is true, and returns what it gave. `words` say, or make, what is wrong."""
    end = time.monotonic() + seconds
    while not (found := is_true()):
        assert time.monotonic() < end, words() if callable(words) else words
        time.sleep(0.05)
    return found
