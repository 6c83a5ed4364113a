"""Requests made from the schema alone: a good one for each call, and every way to spoil a field."""

from google.protobuf.descriptor import FieldDescriptor as Field

HUGE = 300_000
MANY = 20_000
# A text is a user's id if its field has one of these names.
IDS = (
    "user_id", "user_ids", "other_user_id", "friend_user_id", "from_user_id", "to_user_id",
)  # fmt: skip
BAD_IDS = {
    "empty": "", "too long": "x" * 65, "a control character": "a\n", "a leading space": " a",
    "a trailing space": "a ", "beyond ASCII": "é", "huge": "x" * HUGE,
}
INTEGERS = {
    Field.TYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    Field.TYPE_INT64: (-(1 << 63), (1 << 63) - 1),
    Field.TYPE_UINT32: (0, (1 << 32) - 1),
    Field.TYPE_UINT64: (0, (1 << 64) - 1),
}
COUNTS = ("page_size", "num_per_page")


def good(message, examples):
    """Fills a message with one example of everything; `examples` knows fields by name."""
    for field in message.DESCRIPTOR.fields:
        fill(message, field, examples)
    return message


def fill(message, field, examples):
    key = next(
        (key for key in (f"{message.DESCRIPTOR.name}.{field.name}", field.name) if key in examples),
        None)
    if key is not None:
        put(message, field, examples[key])
    elif field.name in IDS:
        put(message, field, examples["user_ids"])
    elif field.containing_oneof and not is_optional(field):
        # The first case stands for all; each of the others is tried when it is spoiled.
        if field.containing_oneof.fields[0] is field and field.message_type:
            good(getattr(message, field.name), examples)
    elif field.message_type and field.message_type.GetOptions().map_entry:
        pass
    elif field.message_type and field.message_type.file.package == "google.protobuf":
        pass
    elif field.message_type:
        value = getattr(message, field.name)
        good(value.add() if field.is_repeated else value, examples)
    elif field.enum_type:
        number = field.enum_type.values[min(1, len(field.enum_type.values) - 1)].number
        put(message, field, number)
    elif field.name in COUNTS:
        put(message, field, 10)


def put(message, field, value):
    if value is None:
        return
    if field.is_repeated:
        getattr(message, field.name).extend(value if isinstance(value, list) else [value])
    elif field.message_type and field.message_type.name == "StringList":
        getattr(message, field.name).values.extend(value)
    else:
        setattr(message, field.name, value[0] if isinstance(value, list) else value)


def is_optional(field):
    return field.containing_oneof is not None and field.containing_oneof.name.startswith("_")


class Spoiled:
    """A request with one field spoiled: `must` tells whether it may not be accepted."""

    def __init__(self, path, how, request, must):
        self.path, self.how, self.request, self.must = path, how, request, must

    def __repr__(self):
        return f"{self.path}: {self.how}"


def spoiled(request):
    """All requests that differ from `request` in one field."""
    yield from _spoil(request, request, "")


def _spoil(request, part, prefix, reach=lambda whole: whole):
    for field in part.DESCRIPTOR.fields:
        path = prefix + field.name

        def change(how, do, must=False, field=field, path=path):
            copy = type(request)()
            copy.CopyFrom(request)
            do(reach(copy), field)
            return Spoiled(path, how, copy, must)

        yield change("missing", lambda part, field: part.ClearField(field.name))
        if field.message_type and field.message_type.GetOptions().map_entry:
            continue
        if field.is_repeated:
            yield from _spoil_list(change, part, field)
        for how, value, must in _values(field):
            yield change(how, lambda part, field, value=value: _set(part, field, value), must)
        if field.message_type and field.message_type.full_name == "google.protobuf.FieldMask":
            yield change(
                "an unknown path",
                lambda part, field: getattr(part, field.name).paths.append("no_such_field"), True)
            yield change(
                "many paths",
                lambda part, field: getattr(part, field.name).paths.extend(["nick"] * MANY), True)
        elif field.message_type:
            yield from _spoil_inside(request, part, field, path, reach)


def _spoil_list(change, part, field):
    value = getattr(part, field.name)
    if not value:
        return
    first = value[0]

    def repeat(count):
        def do(part, field):
            items = getattr(part, field.name)
            items.extend([first] * (count - len(items)))
        return do

    yield change("twice", repeat(2))
    yield change("very many", repeat(MANY), must=True)


def _spoil_inside(request, part, field, path, reach):
    value = getattr(part, field.name)
    if field.is_repeated:
        if len(value):
            yield from _spoil(
                request, value[0], path + ".",
                lambda whole: getattr(reach(whole), field.name)[0])
    elif part.HasField(field.name):
        yield from _spoil(
            request, value, path + ".", lambda whole: getattr(reach(whole), field.name))


def _values(field):
    """Bad values of the field's type, and whether they must be refused."""
    if field.type == Field.TYPE_STRING:
        if field.name in IDS:
            yield from ((how, value, True) for how, value in BAD_IDS.items())
        else:
            yield "huge", "x" * HUGE, True
            yield "a zero byte", "a\0b", False
    elif field.type == Field.TYPE_BYTES:
        yield "huge", b"x" * HUGE, True
    elif field.type == Field.TYPE_ENUM:
        yield "an unknown number", 4242, True
        yield "a negative number", -7, True
    elif field.type in INTEGERS:
        low, high = INTEGERS[field.type]
        yield "lowest", low, low < 0 and field.name in COUNTS
        yield "highest", high, False


def _set(part, field, value):
    if field.is_repeated:
        del getattr(part, field.name)[:]
        getattr(part, field.name).append(value)
    else:
        setattr(part, field.name, value)
