"""A product that uses the service: the devices of its users, each with a credential of the user
alone, and its back end, which acts for the app."""

import time

from people import People, codes
from stubs import Relation
from watching import Watching


class Product(People):
    """The back end of a product, with an app of its own and the settings that it chose."""

    def __init__(self, relation, *, app=None, **settings):
        """A new app with these settings, or the one of that number."""
        number = app or relation("CreateApp", settings=settings).app.app_id
        super().__init__(relation.in_app(number))

    def __call__(self, *names, **profile):
        """Devices of new users with these names as their nicks."""
        for name in names:
            self.make([name], nick=name.capitalize(), **profile)
        return [self.device(name) for name in names]

    def device(self, user):
        return Device(self.relation, user)

    def change(self, **settings):
        """The product sets its app otherwise."""
        assert self.relation("UpdateApp", settings=settings).applied


class Device:
    """One user's device: its calls and streams are those of the user, and of no other."""

    def __init__(self, relation, user):
        self.user = user
        self.stubs = relation.stubs
        self.relation = Relation(
            relation.stubs, relation.channel, [*relation.metadata, ("x-user-id", user)])

    def __call__(self, name, /, **fields):
        """The answer of a call of the user."""
        return self.relation(name, user_id=self.user, **fields)

    def does(self, name, /, **fields):
        """Makes a call that must be carried out, and returns the answer."""
        answer = self(name, **fields)
        told = codes(answer) if hasattr(answer, "results") else [getattr(answer, "code", 0)]
        assert set(told) <= {0}, answer
        return answer

    def told(self, name, /, **fields):
        """The code of the one result of a call, and the end of the name of its reason."""
        answer = self(name, **fields)
        (result,) = answer.results if hasattr(answer, "results") else [answer]
        return result.code, self.stubs.Reason.Name(result.reason).removeprefix("REASON_")

    def watch(self, **fields):
        """A stream of the user's changes that has read the present state."""
        stream = Watching(self.relation, timeout=30, user_id=self.user, **fields)
        stream.state()
        return stream

    def until(self, stream, kind):
        """The items of the next event of a kind that is named."""
        number = self.stubs.ChangeKind.Value("CHANGE_KIND_" + kind)
        return stream.until(lambda event: event.kind == number)[-1].items

    def pages(self, name, rows, page_size, **fields):
        """All rows of a list, by pages of a size, and the total that the first page tells."""
        found, token, total = [], "", None
        while total is None or token:
            page = self(name, page_size=page_size, page_token=token, **fields)
            found += getattr(page, rows)
            token = page.next_page_token
            total = page.total_size if total is None else total
        return found, total


def ids(rows):
    return [row.user_id for row in rows]


def eventually(test):
    """Waits for work that the server does by itself."""
    end = time.monotonic() + 30
    while not test():
        assert time.monotonic() < end, "it never comes true"
        time.sleep(0.02)
