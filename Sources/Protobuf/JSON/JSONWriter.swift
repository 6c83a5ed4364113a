import Memory

/// The walk over an encoded message that writes its JSON, by proto3's mapping.
///
/// It takes the records as they come, which is right for what an encoder writes. If they are in
/// another order, or a field comes twice, it stops, and a second walk sorts the records of each
/// message first.
struct JSONWriter {
    var sink: JSONSink
    private let anys: JSONAnys
    private let includesDefaults: Bool
    let enumsAreNumbers: Bool
    /// Whether the records of each message are sorted before they are written.
    private let sorts: Bool
    private(set) var failure: CodecError?
    /// Whether the walk has stopped because of the order.
    private(set) var isUnordered = false

    init(
        _ sink: JSONSink, _ anys: JSONAnys, includesDefaults: Bool, enumsAreNumbers: Bool,
        sorts: Bool
    ) {
        self.sink = sink
        self.anys = anys
        self.includesDefaults = includesDefaults
        self.enumsAreNumbers = enumsAreNumbers
        self.sorts = sorts
    }

    @inline(never)
    func refusal(
        _ code: CodecError.Code, _ plan: UnsafePointer<JSONPlan>,
        _ field: UnsafePointer<JSONField>? = nil
    ) -> CodecError {
        var subject = plan.pointee.name.text
        if let field { subject += ".\(field.pointee.name.text)" }
        switch code {
        case .invalidUTF8: return CodecError(code, "\(subject) is not valid UTF-8")
        case .tooDeep where field != nil:
            return CodecError(
                code, "\(subject) is a message nested deeper than \(CodecLimits.messageDepth)")
        case .tooDeep:
            return CodecError(
                code, "\(subject) holds groups nested deeper than \(CodecLimits.groupDepth)")
        case .invalidJSON: return CodecError(code, "\(subject): the value has no JSON")
        default: return CodecError(code, "\(subject) is malformed")
        }
    }

    /// Keeps an error, and returns false.
    @inline(never)
    mutating func refuse(
        _ code: CodecError.Code, _ plan: UnsafePointer<JSONPlan>,
        _ field: UnsafePointer<JSONField>? = nil
    ) -> Bool {
        failure = failure ?? refusal(code, plan, field)
        return false
    }

    /// Keeps an error, and returns nil.
    private mutating func none<T>(
        _ code: CodecError.Code, _ plan: UnsafePointer<JSONPlan>,
        _ field: UnsafePointer<JSONField>? = nil
    ) -> T? {
        _ = refuse(code, plan, field)
        return nil
    }

    /// Stops because the records are not in order.
    @inline(never) private mutating func stop(_ plan: UnsafePointer<JSONPlan>) -> Bool {
        if sorts { return refuse(.malformed, plan) }
        isUnordered = true
        return false
    }

    /// Writes a message, whose bytes are all of `bytes`.
    mutating func message(
        _ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>, levels: Int
    ) -> Bool {
        switch plan.pointee.form {
        case .object: break
        case .any: return any(bytes, plan, levels)
        case .duration, .timestamp: return time(bytes, plan)
        case .mask: return mask(bytes, plan)
        }
        sink.append(UInt8(ascii: "{"))
        guard members(bytes, plan, levels: levels, first: sink.offset) else { return false }
        sink.append(UInt8(ascii: "}"))
        return true
    }

    /// Writes the members of an object.
    ///
    /// - Parameter first: Where the first member goes, which has no comma before it.
    private mutating func members(
        _ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>, levels: Int, first: Int
    ) -> Bool {
        if sorts, let sorted = JSONRecords.sorted(bytes, plan, by: .json) {
            return sorted.withUnsafeBytes { records(JSONBytes($0), plan, levels, first) }
        }
        return records(bytes, plan, levels, first)
    }

    private mutating func records(
        _ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>, _ levels: Int, _ first: Int
    ) -> Bool {
        var wire = Wire(next: bytes.start, end: bytes.start + bytes.count)
        // The first field that may come.
        var next = 0
        var oneof = 0
        while !wire.isAtEnd {
            guard let tag = wire.tag() else { return refuse(.malformed, plan) }
            let index = plan.pointee.index(of: tag >> 3)
            let field = plan.pointee.fields + index
            guard index >= 0, field.pointee.takes(tag) else {
                guard skip(&wire, tag, plan) else { return false }
                continue
            }
            // The cases of a oneof stand together, so that two of them are neighbours here.
            guard index >= next, field.pointee.oneof == 0 || field.pointee.oneof != oneof else {
                return stop(plan)
            }
            if includesDefaults { defaults(plan, next..<index, first) }
            next = index &+ 1
            oneof = field.pointee.oneof
            switch field.pointee.shape {
            case .singular:
                guard singular(&wire, plan, field, levels, first) else { return false }
            case .list, .packed:
                guard list(&wire, tag, plan, field, levels, first) else { return false }
            case .map:
                guard map(&wire, plan, field, levels, first) else { return false }
            }
        }
        if includesDefaults { defaults(plan, next..<plan.pointee.count, first) }
        return true
    }

    private mutating func skip(
        _ wire: inout Wire, _ tag: UInt32, _ plan: UnsafePointer<JSONPlan>
    ) -> Bool {
        switch wire.skipPayload(of: tag) {
        case .done: return true
        case .malformed: return refuse(.malformed, plan)
        case .tooDeep: return refuse(.tooDeep, plan)
        }
    }

    /// Writes the fields that are absent because they are zero or empty.
    private mutating func defaults(
        _ plan: UnsafePointer<JSONPlan>, _ indices: Range<Int>, _ first: Int
    ) {
        for index in indices {
            let field = plan.pointee.fields + index
            if field.pointee.isImplicit || field.pointee.shape != .singular {
                absent(field, first)
            }
        }
    }

    @inline(never)
    private mutating func absent(_ field: UnsafePointer<JSONField>, _ first: Int) {
        key(field, first)
        switch (field.pointee.shape, field.pointee.kind) {
        case (.map, _): sink.append("{}")
        case (.list, _), (.packed, _): sink.append("[]")
        case (.singular, .string), (.singular, .bytes): sink.append("\"\"")
        default: number(0, field)
        }
    }

    @inline(__always)
    mutating func key(_ field: UnsafePointer<JSONField>, _ first: Int) {
        let key = field.pointee.key
        if sink.offset == first {
            sink.append(JSONBytes(start: key.start + 1, count: key.count &- 1))
        } else {
            sink.append(key)
        }
    }

    @inline(__always)
    private mutating func singular(
        _ wire: inout Wire, _ plan: UnsafePointer<JSONPlan>, _ field: UnsafePointer<JSONField>,
        _ levels: Int, _ first: Int
    ) -> Bool {
        guard field.pointee.isNumber else {
            guard let count = wire.length() else { return refuse(.malformed, plan, field) }
            defer { wire.next += count }
            if count == 0, field.pointee.isImplicit {
                if includesDefaults { absent(field, first) }
                return true
            }
            key(field, first)
            return value(JSONBytes(start: wire.next, count: count), plan, field, levels)
        }
        guard let bits = wire.bits(field.pointee.wireType) else {
            return refuse(.malformed, plan, field)
        }
        let value = JSONNumber.value(bits, field.pointee.kind)
        if value == 0, field.pointee.isImplicit, !includesDefaults { return true }
        key(field, first)
        number(value, field)
        return true
    }

    /// A value that has a length on the wire.
    @inline(__always)
    private mutating func value(
        _ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>, _ field: UnsafePointer<JSONField>,
        _ levels: Int
    ) -> Bool {
        if let child = field.pointee.child {
            guard levels > 0 else { return refuse(.tooDeep, plan, field) }
            return message(bytes, child, levels: levels &- 1)
        }
        if field.pointee.kind == .bytes {
            base64(bytes)
            return true
        }
        return string(bytes) || refuse(.invalidUTF8, plan, field)
    }

    /// All records of a list that stand together.
    private mutating func list(
        _ wire: inout Wire, _ tag: UInt32, _ plan: UnsafePointer<JSONPlan>,
        _ field: UnsafePointer<JSONField>, _ levels: Int, _ first: Int
    ) -> Bool {
        var tag = tag
        var isOpen = false
        repeat {
            if !field.pointee.isNumber {
                guard let count = wire.length() else { return refuse(.malformed, plan, field) }
                element(field, &isOpen, first)
                let bytes = JSONBytes(start: wire.next, count: count)
                wire.next += count
                guard value(bytes, plan, field, levels) else { return false }
            } else if tag & 7 == 2 {
                guard let count = wire.length() else { return refuse(.malformed, plan, field) }
                var inner = Wire(next: wire.next, end: wire.next + count)
                wire.next += count
                while !inner.isAtEnd {
                    guard element(&inner, field, &isOpen, first) else {
                        return refuse(.malformed, plan, field)
                    }
                }
            } else {
                guard element(&wire, field, &isOpen, first) else {
                    return refuse(.malformed, plan, field)
                }
            }
        } while Self.readTag(&tag, &wire, field)
        if isOpen {
            sink.append(UInt8(ascii: "]"))
        } else if includesDefaults {
            absent(field, first)
        }
        return true
    }

    /// The tag of a further record of the same field; false if another one comes.
    @inline(__always)
    private static func readTag(
        _ tag: inout UInt32, _ wire: inout Wire, _ field: UnsafePointer<JSONField>
    ) -> Bool {
        guard !wire.isAtEnd else { return false }
        var ahead = wire
        guard let next = ahead.tag(), next >> 3 == field.pointee.number, field.pointee.takes(next)
        else { return false }
        (tag, wire) = (next, ahead)
        return true
    }

    @inline(__always)
    private mutating func element(
        _ field: UnsafePointer<JSONField>, _ isOpen: inout Bool, _ first: Int
    ) {
        if isOpen { return sink.append(UInt8(ascii: ",")) }
        key(field, first)
        sink.append(UInt8(ascii: "["))
        isOpen = true
    }

    @inline(__always)
    private mutating func element(
        _ wire: inout Wire, _ field: UnsafePointer<JSONField>, _ isOpen: inout Bool, _ first: Int
    ) -> Bool {
        guard let bits = wire.bits(field.pointee.wireType) else { return false }
        element(field, &isOpen, first)
        number(JSONNumber.value(bits, field.pointee.kind), field)
        return true
    }

    /// All entries of a map that stand together.
    private mutating func map(
        _ wire: inout Wire, _ plan: UnsafePointer<JSONPlan>, _ field: UnsafePointer<JSONField>,
        _ levels: Int, _ first: Int
    ) -> Bool {
        guard let child = field.pointee.child else { return false }
        guard levels > 0 else { return refuse(.tooDeep, plan, field) }
        var tag = field.pointee.tag
        var last: (order: UInt64, bytes: JSONBytes)?
        key(field, first)
        sink.append(UInt8(ascii: "{"))
        repeat {
            guard let count = wire.length() else { return refuse(.malformed, plan, field) }
            var entry = Wire(next: wire.next, end: wire.next + count)
            wire.next += count
            if last != nil { sink.append(UInt8(ascii: ",")) }
            guard let key = entryKey(&entry, child) else { return false }
            if let last {
                let ascends =
                    last.order == key.order
                    ? JSONBytes.precedes(last.bytes, key.bytes) : last.order < key.order
                guard ascends else { return stop(child) }
            }
            last = key
            sink.append(UInt8(ascii: ":"))
            guard entryValue(&entry, child, levels &- 1) else { return false }
            guard entry.isAtEnd else { return stop(child) }
        } while Self.readTag(&tag, &wire, field)
        sink.append(UInt8(ascii: "}"))
        return true
    }

    /// Writes the key of an entry; nil if there is an error.
    private mutating func entryKey(
        _ entry: inout Wire, _ plan: UnsafePointer<JSONPlan>
    ) -> (order: UInt64, bytes: JSONBytes)? {
        let field = plan.pointee.fields
        let kind = field.pointee.kind
        let isThere = Self.read(field, &entry)
        if kind == .string {
            var bytes = JSONBytes.empty
            if isThere {
                guard let count = entry.length() else {
                    return none(.malformed, plan, field)
                }
                bytes = JSONBytes(start: entry.next, count: count)
                entry.next += count
            }
            guard string(bytes) else { return none(.invalidUTF8, plan, field) }
            return (0, bytes)
        }
        var value: UInt64 = 0
        if isThere {
            guard let bits = entry.bits(field.pointee.wireType) else {
                return none(.malformed, plan, field)
            }
            value = JSONNumber.value(bits, kind)
        }
        // 64-bit integers have their quotes anyway.
        let hasQuotes = Self.isQuoted(kind)
        if !hasQuotes { sink.append(UInt8(ascii: "\"")) }
        number(value, field)
        if !hasQuotes { sink.append(UInt8(ascii: "\"")) }
        return (JSONKey.order(value, kind), .empty)
    }

    private mutating func entryValue(
        _ entry: inout Wire, _ plan: UnsafePointer<JSONPlan>, _ levels: Int
    ) -> Bool {
        let field = plan.pointee.fields + 1
        let isThere = Self.read(field, &entry)
        guard field.pointee.isNumber else {
            var bytes = JSONBytes.empty
            if isThere {
                guard let count = entry.length() else { return refuse(.malformed, plan, field) }
                bytes = JSONBytes(start: entry.next, count: count)
                entry.next += count
            }
            return value(bytes, plan, field, levels)
        }
        var bits: UInt64 = 0
        if isThere {
            guard let read = entry.bits(field.pointee.wireType) else {
                return refuse(.malformed, plan, field)
            }
            bits = read
        }
        number(JSONNumber.value(bits, field.pointee.kind), field)
        return true
    }

    /// Takes the tag of a field of an entry, if it is here.
    @inline(__always)
    private static func read(_ field: UnsafePointer<JSONField>, _ entry: inout Wire) -> Bool {
        guard !entry.isAtEnd, UInt32(entry.next.pointee) == field.pointee.tag else { return false }
        entry.next += 1
        return true
    }

    /// An Any: its type, and the members of its message, or its value.
    private mutating func any(
        _ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>, _ levels: Int
    ) -> Bool {
        guard let url = last(1, bytes, plan), let payload = last(2, bytes, plan) else {
            return false
        }
        guard url.count + payload.count > 0 else {
            sink.append("{}")
            return true
        }
        guard let child = anys.plan(of: url) else {
            let name = UTF8Check.isValid(url.start, url.count) ? url.shown : "?"
            failure =
                failure
                ?? CodecError(
                    .invalidJSON,
                    "\(plan.pointee.name.text): messages of the type \"\(name)\" are not known here"
                )
            return false
        }
        guard levels > 0 else { return refuse(.tooDeep, plan, plan.pointee.fields) }
        sink.append("{\"@type\":")
        guard string(url) else { return refuse(.invalidUTF8, plan, plan.pointee.fields) }
        if child.pointee.form == .object {
            // A member always stands after the type, so there is no first one.
            guard members(payload, child, levels: levels - 1, first: -1) else { return false }
        } else {
            sink.append(",\"value\":")
            guard message(payload, child, levels: levels - 1) else { return false }
        }
        sink.append(UInt8(ascii: "}"))
        return true
    }

    /// The last text of a field of a small message; empty if it is absent, nil at an error.
    private mutating func last(
        _ number: UInt32, _ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>
    ) -> JSONBytes? {
        var wire = Wire(next: bytes.start, end: bytes.start + bytes.count)
        var found = JSONBytes.empty
        while !wire.isAtEnd {
            guard let tag = wire.tag() else { return none(.malformed, plan) }
            if tag == number << 3 | 2 {
                guard let count = wire.length() else {
                    return none(.malformed, plan)
                }
                found = JSONBytes(start: wire.next, count: count)
                wire.next += count
            } else {
                guard skip(&wire, tag, plan) else { return nil }
            }
        }
        return found
    }

    private mutating func time(_ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>) -> Bool {
        var wire = Wire(next: bytes.start, end: bytes.start + bytes.count)
        var (seconds, nanos) = (Int64(0), Int32(0))
        while !wire.isAtEnd {
            guard let tag = wire.tag() else { return refuse(.malformed, plan) }
            guard tag == 0x08 || tag == 0x10 else {
                guard skip(&wire, tag, plan) else { return false }
                continue
            }
            guard let value = wire.varint() else { return refuse(.malformed, plan) }
            if tag == 0x08 {
                seconds = Int64(bitPattern: value)
            } else {
                nanos = Int32(truncatingIfNeeded: value)
            }
        }
        let time = JSONTime(seconds: seconds, nanos: nanos)
        let isDuration = plan.pointee.form == .duration
        guard let text = isDuration ? time.duration : time.timestamp else {
            return refuse(.invalidJSON, plan)
        }
        sink.append(UInt8(ascii: "\""))
        sink.append(text)
        sink.append(UInt8(ascii: "\""))
        return true
    }

    /// Refuses a path that would not come back from its text.
    private mutating func refuse(_ path: JSONBytes, _ plan: UnsafePointer<JSONPlan>) -> Bool {
        let subject = plan.pointee.name.text
        failure =
            failure
            ?? CodecError(.invalidJSON, "\(subject): the path \"\(path.shown)\" has no JSON")
        return false
    }

    private mutating func mask(_ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>) -> Bool {
        var wire = Wire(next: bytes.start, end: bytes.start + bytes.count)
        var text: [UInt8] = []
        while !wire.isAtEnd {
            guard let tag = wire.tag() else { return refuse(.malformed, plan) }
            guard tag == 0x0A else {
                guard skip(&wire, tag, plan) else { return false }
                continue
            }
            guard let count = wire.length() else { return refuse(.malformed, plan) }
            let path = JSONBytes(start: wire.next, count: count)
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            guard JSONMask.write(path, to: &text) else { return refuse(path, plan) }
            wire.next += count
        }
        let isWritten = text.withUnsafeBytes { string(JSONBytes($0)) }
        return isWritten || refuse(.invalidUTF8, plan, plan.pointee.fields)
    }
}
