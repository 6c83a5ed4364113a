"""The frozen contract as the makers of clients see it: services, calls, messages, enums."""

import dataclasses
import functools
import re

from google.protobuf import descriptor_pb2

PACKAGE = "relation.v1"
READS = descriptor_pb2.MethodOptions.NO_SIDE_EFFECTS
# Writes that a client repeats without a request id: a second one changes nothing.
REPEATABLE = {"ReportPresence", "AcknowledgeChanges"}
# Lists of which no single field has the items.
PAGES_ONLY = {"SyncFriends"}


def snake(name):
    """`AddFriends` as `add_friends`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def camel(name):
    """`AddFriends` as `addFriends`."""
    return name[:1].lower() + name[1:]


@dataclasses.dataclass(frozen=True)
class Method:
    """A call of a service."""

    service: str
    name: str
    request: str
    response: str
    client_streams: bool
    server_streams: bool
    # Whether the call needs a request id to be made twice.
    writes: bool
    # The field of the answer that has the items, if it is a list by pages; empty if several do.
    items: str | None

    @property
    def path(self):
        return f"/{PACKAGE}.{self.service}/{self.name}"


class Contract:
    """A set of descriptors, as `buf build` writes it."""

    def __init__(self, path):
        self.path = path
        self.set = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
        self.files = [file for file in self.set.file if file.package == PACKAGE]
        # All files but protobuf's own, which each language's runtime has.
        self.names = [file.name for file in self.set.file if file.package.startswith("relation.")]
        self.messages = {m.name: m for file in self.files for m in file.message_type}
        self.enums = {e.name: e for file in self.files for e in file.enum_type}

    @functools.cached_property
    def services(self):
        """The calls of each service, by the service's name without its last word."""
        return {
            service.name.removesuffix("Service"): [
                self.method(service.name, method) for method in service.method]
            for file in sorted(self.files, key=lambda file: file.name)
            for service in file.service
        }

    def method(self, service, method):
        request, response = (name.rpartition(".")[2]
                             for name in (method.input_type, method.output_type))
        asked, answered = ({field.name for field in self.messages[name].field}
                           for name in (request, response))
        lists = [field.name for field in self.messages[response].field
                 if field.label == field.LABEL_REPEATED]
        # GetFriendGroups has no pages of its own, but some of each group.
        paged = "page_token" in asked and "next_page_token" in answered
        items = "" if method.name in PAGES_ONLY else lists[0] if paged else None
        return Method(
            service, method.name, request, response, method.client_streaming,
            method.server_streaming,
            method.options.idempotency_level != READS and method.name not in REPEATABLE,
            items if paged else None)

    def field(self, message, name):
        (found,) = [field for field in self.messages[message].field if field.name == name]
        return found
