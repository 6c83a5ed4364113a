"""A client in Swift sees plain values: no view, no memory of a call, and each declaration with a
comment. Every message has all its fields, each with the first sentence of the contract's comment."""

import collections
import functools
import re

import pytest
from public_interface import (
    comment, conformances, contract, contract_names, declaration, name, named_types, shared_words,
    swift_types, symbols)

# The types from Swift that a client meets. None of them points into memory that another owns.
PLAIN = {
    "Actor", "AsyncIteratorProtocol", "AsyncSequence", "Bool", "Comparable", "CustomStringConvertible",
    "Decodable", "Decoder", "Double", "Duration", "Encodable", "Encoder", "Equatable", "Error",
    "Hashable", "Hasher", "Int", "Int32", "Int64",
    "Mirror", "RawRepresentable", "RawValue", "Sendable", "SendableMetatype", "String", "UInt32", "UInt64",
    "UInt8", "Void"}
# The types of swift-log, swift-metrics and swift-distributed-tracing, to which calls are told, and
# the event loops of swift-nio.
WITNESSES = {"EventLoopGroup", "Level", "Logger", "MetricsFactory", "Tracer"}
KINDS = {"swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias",
         "swift.associatedtype"}


@functools.cache
def forms():
    """The generic type behind each message that the service has in a form of its own."""
    return {name(symbol): declaration(symbol).split(" = ")[1].split("<")[0]
            for symbol in symbols() if symbol["kind"]["identifier"] == "swift.typealias"
            and name(symbol) in swift_types().values()}


@functools.cache
def owned():
    """The members of each type, by their kinds."""
    found = collections.defaultdict(list)
    for symbol in symbols():
        owner = ".".join(symbol["pathComponents"][:-1])
        found[owner, symbol["kind"]["identifier"]].append(symbol)
    return found


@functools.cache
def asked_for():
    """The names of the properties that a protocol asks for, such as the items of any page."""
    protocols = {name(symbol) for symbol in symbols()
                 if symbol["kind"]["identifier"] == "swift.protocol"}
    return {"description", "id"} | {
        own_name(symbol) for protocol in protocols
        for symbol in owned()[protocol, "swift.property"]}


def inherited(swift):
    """The properties that a type has of its protocols, such as those of the answer to any write."""
    types = {symbol["identifier"]["precise"]: name(symbol) for symbol in symbols()}
    protocols = {types.get(protocol, protocol) for source, found in conformances().items()
                 if types.get(source) == swift for protocol in found}
    return [symbol for protocol in protocols for symbol in owned()[protocol, "swift.property"]]


def own_name(symbol):
    return symbol["pathComponents"][-1].split("(")[0]


def test_a_public_declaration_names_plain_values_alone():
    own = {symbol["pathComponents"][-1] for symbol in symbols()
           if symbol["kind"]["identifier"] in KINDS}
    strange = {name(symbol): named_types(symbol) - own - PLAIN - WITNESSES
               for symbol in symbols()}
    assert {what: types for what, types in strange.items() if types} == {}


def test_the_words_of_the_codec_stand_in_no_public_name():
    words = ("arena", "visitor", "unsafe", "pointer", "buffer", "encoded", "coder", "scalar")
    # The functions that Swift's own Codable asks for.
    swifts = {"init(from:)", "encode(to:)"}
    assert [name(symbol) for symbol in symbols()
            if symbol["pathComponents"][-1] not in swifts
            and any(word in declaration(symbol).lower() for word in words)] == []


def test_every_public_declaration_is_documented():
    assert [name(symbol) for symbol in symbols() if not comment(symbol)] == []


def test_every_message_of_the_contract_is_a_public_value():
    types = {symbol["identifier"]["precise"]: name(symbol) for symbol in symbols()}
    protocols = {types[source]: found for source, found in conformances().items()
                 if source in types}
    wanted = {
        "Message", "Equatable", "Hashable", "Decodable", "Encodable", "Sendable",
        "CustomStringConvertible"}
    generic = forms()
    for full_name, swift in swift_types().items():
        assert wanted <= protocols[generic.get(swift, swift)], full_name
    assert set(swift_types()) == set(contract()) == set(contract_names())


@pytest.mark.parametrize("full_name", contract_names())
def test_a_message_is_made_empty_and_has_the_first_words_of_its_fields(full_name):
    swift = swift_types()[full_name]
    swift = forms().get(swift, swift)
    message = contract()[full_name]
    fields = dict(message.fields)
    assert "init()" in {symbol["names"]["title"] for symbol in owned()[swift, "swift.init"]}

    properties = {own_name(symbol): symbol for symbol in inherited(swift)
                  if own_name(symbol) in fields}
    properties |= {own_name(symbol): symbol for symbol in owned()[swift, "swift.property"]
                   if own_name(symbol) in fields or own_name(symbol) not in asked_for()}
    assert set(properties) == set(fields)
    assert wrong_words(properties.values(), fields) == {}
    for oneof, cases in message.cases.items():
        inner = re.sub(r"<[^>]*>", "", declaration(properties[oneof]).split(": ")[1].rstrip("?"))
        found = owned()[inner, "swift.enum.case"]
        assert {own_name(symbol) for symbol in found} == set(dict(cases))
        assert wrong_words(found, dict(cases)) == {}


def wrong_words(found, words):
    """The comments that are neither the first sentence of the contract's comment, nor the words of
    a protocol for all fields of that name."""
    said = {own_name(symbol): comment(symbol) for symbol in found}
    return {field: text for field, text in said.items()
            if not (text.endswith(".") and f"{words[field]} ".startswith(f"{text} "))
            and text not in shared_words()[field]}


def test_every_call_of_a_client_takes_options():
    methods = [name(symbol) for symbol in symbols()
               if symbol["kind"]["identifier"] == "swift.method"
               and symbol["pathComponents"][0] == "Client"]
    assert {method for method in methods if "options:" not in method} == {
        "Client.close()", "Client.run()", "Client.call(_:_:timeout:)"}
