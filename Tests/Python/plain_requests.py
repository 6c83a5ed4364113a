"""Requests that follow from the contract alone: those that only name users.

A call whose request needs nothing else has no row in the tables of the tests.
"""

import functools

import described


@functools.cache
def calls_of_one_request():
    """The request of each call of the contract that takes one, as a message's descriptor."""
    files = described.files()
    messages = {
        f"{described.PACKAGE}{message.name}": message
        for file in files for message in file.message_type
    }  # fmt: skip
    return {
        method.name: messages[method.input_type]
        for file in files for service in file.service for method in service.method
        if not method.client_streaming
    }  # fmt: skip


def is_for_user(message):
    """Whether the request has an acting user, which is its field 1."""
    return any(field.number == 1 and field.name == "user_id" for field in message.field)


def plain(message):
    """A request that names the user "other" in each field for a user but the acting one.

    All other fields are left out.
    """
    fields = {}
    for field in message.field:
        if field.name == "user_ids":
            fields[field.name] = ["other"]
        elif field.name.endswith("_user_id"):
            fields[field.name] = "other"
    return fields
