import Memory

// The fields of a message that is read.

extension JSONReader {
    mutating func singular(_ field: UnsafePointer<JSONField>, _ levels: Int) -> Bool {
        if let child = field.pointee.child { return nested(field.pointee.tag, child, levels) }
        switch field.pointee.kind {
        case .string: return string(field)
        case .bytes: return bytes(field)
        default:
            guard let bits = number(field) else { return false }
            if bits == 0, field.pointee.isImplicit { return true }
            sink.varint(UInt64(field.pointee.tag))
            append(bits, field)
            return true
        }
    }

    /// One message in a record of its own.
    @inline(__always)
    private mutating func nested(
        _ tag: UInt32, _ plan: UnsafePointer<JSONPlan>, _ levels: Int
    ) -> Bool {
        guard levels > 0 else { return refuseDepth() }
        sink.varint(UInt64(tag))
        let start = sink.offset
        let width = sink.open(bound: scan.rest)
        guard message(plan, levels: levels &- 1) else { return false }
        sink.close(start, width)
        return true
    }

    private mutating func refuseDepth() -> Bool {
        refuse(CodecError.isTooDeep.message, .tooDeep)
    }

    /// A string; also the key of a map.
    @inline(__always) private mutating func string(_ field: UnsafePointer<JSONField>) -> Bool {
        guard scan.byte == UInt8(ascii: "\"") else { return refuseValue(field) }
        guard let text = scan.string() else { return false }
        if text.count == 0, field.pointee.isImplicit { return true }
        append(text, field)
        return true
    }

    @inline(__always)
    private mutating func append(_ text: JSONBytes, _ field: UnsafePointer<JSONField>) {
        sink.varint(UInt64(field.pointee.tag))
        sink.varint(UInt64(text.count))
        if text.count < 64 { sink.append(text) } else { sink.append(long: text.raw) }
    }

    private mutating func bytes(_ field: UnsafePointer<JSONField>) -> Bool {
        guard scan.byte == UInt8(ascii: "\"") else { return refuseValue(field) }
        guard let text = scan.string() else { return false }
        guard let bytes = Base64.decode(text.raw, .json) else { return refuseValue(field) }
        if bytes.isEmpty, field.pointee.isImplicit { return true }
        sink.varint(UInt64(field.pointee.tag))
        sink.varint(UInt64(bytes.count))
        bytes.withUnsafeBytes { sink.append(long: $0) }
        return true
    }

    mutating func refuseValue(_ field: UnsafePointer<JSONField>) -> Bool {
        refuse(field.pointee.expectation)
    }

    /// The bits of a number, without a tag.
    @inline(__always) private mutating func append(
        _ bits: UInt64, _ field: UnsafePointer<JSONField>
    ) {
        switch field.pointee.wireType {
        case 0: sink.varint(bits)
        case 5: sink.fixed32(UInt32(truncatingIfNeeded: bits))
        default: sink.fixed64(bits)
        }
    }

    /// Numbers in one record, which is left out if there are none.
    mutating func packed(_ field: UnsafePointer<JSONField>) -> Bool {
        let before = sink.offset
        sink.varint(UInt64(field.pointee.tag))
        let start = sink.offset
        let width = sink.open(bound: scan.rest)
        let isRead = elements { reader in
            guard let bits = reader.number(field) else { return false }
            reader.append(bits, field)
            return true
        }
        guard isRead else { return false }
        guard sink.offset > start + width else {
            sink.truncate(to: before)
            return true
        }
        sink.close(start, width)
        return true
    }

    /// Values in a record each.
    mutating func list(_ field: UnsafePointer<JSONField>, _ levels: Int) -> Bool {
        elements { reader in reader.singular(field, levels) }
    }

    @inline(__always)
    private mutating func elements(_ read: (inout JSONReader) -> Bool) -> Bool {
        guard scan.byte == UInt8(ascii: "[") else { return refuse("a list was expected") }
        guard scan.enter() else { return false }
        scan.skipSpace()
        var index = 0
        if scan.byte != UInt8(ascii: "]") {
            repeat {
                scan.skipSpace()
                if scan.byte == UInt8(ascii: "n") {
                    guard scan.word("null") else { return false }
                    _ = refuse("null is not an element")
                    return below(.element("[\(index)]"))
                }
                guard read(&self) else { return below(.element("[\(index)]")) }
                index &+= 1
                scan.skipSpace()
            } while scan.consume(UInt8(ascii: ","))
        }
        guard scan.byte == UInt8(ascii: "]") else { return scan.failInList() }
        scan.exit()
        return true
    }

    /// Entries in a record each, with both key and value.
    mutating func map(
        _ field: UnsafePointer<JSONField>, _ object: inout JSONObject, _ levels: Int
    ) -> Bool {
        guard scan.byte == UInt8(ascii: "{") else { return refuse("an object was expected") }
        guard let entry = field.pointee.child else { return false }
        let (text, start) = (scan.next, sink.offset)
        guard scan.enter() else { return false }
        scan.skipSpace()
        var last: JSONKey.Span?
        var isSorted = true
        if scan.byte != UInt8(ascii: "}") {
            repeat {
                scan.skipSpace()
                let key = scan.next
                guard levels > 0 else { return refuseDepth() }
                sink.varint(UInt64(field.pointee.tag))
                let begin = sink.offset
                let width = sink.open(bound: scan.rest)
                guard let span = self.key(entry.pointee.fields) else {
                    return scan.failure == nil && below(element(key))
                }
                guard scan.colon() else { return false }
                guard value(entry.pointee.fields + 1, levels &- 1) else {
                    return below(element(key))
                }
                let moved = sink.offset
                sink.close(begin, width)
                // The record may have moved for its length.
                let now = span.moved(by: sink.offset - moved)
                if let last, !JSONKey.ascends(last, now, sink) { isSorted = false }
                last = now
                scan.skipSpace()
            } while scan.consume(UInt8(ascii: ","))
        }
        guard scan.byte == UInt8(ascii: "}") else { return scan.failInObject() }
        if !isSorted {
            object.isSorted = false
            guard keysDiffer(field, entry, from: start, text) else { return false }
        }
        scan.exit()
        return true
    }

    /// The value of an entry, which is never left out.
    private mutating func value(_ field: UnsafePointer<JSONField>, _ levels: Int) -> Bool {
        if scan.byte == UInt8(ascii: "n") {
            guard scan.word("null") else { return false }
            return refuse("null is not a value")
        }
        return singular(field, levels)
    }

    /// The part of the path for the key that begins at `key`.
    private func element(_ key: UnsafePointer<UInt8>) -> Step {
        var walk = JSONScanner(JSONBytes(start: key, count: scan.end - key))
        return .element("[\"\(walk.key()?.shown ?? "")\"]")
    }

    /// The key of an entry, which is always a string in JSON; nil if there is an error.
    ///
    /// A number has only one text, so that no key comes twice.
    private mutating func key(_ field: UnsafePointer<JSONField>) -> JSONKey.Span? {
        guard let text = scan.key() else { return nil }
        if field.pointee.kind == .string {
            append(text, field)
            return JSONKey.Span(order: 0, start: sink.offset - text.count, count: text.count)
        }
        guard let bits = JSONNumber.key(text, field.pointee.kind) else {
            _ = refuse("a key of type \(field.pointee.kind.protoName) was expected")
            return nil
        }
        sink.varint(UInt64(field.pointee.tag))
        append(bits, field)
        let order = JSONKey.order(JSONNumber.value(bits, field.pointee.kind), field.pointee.kind)
        return JSONKey.Span(order: order, start: 0, count: 0)
    }

    /// Refuses a map in which a key comes twice.
    private mutating func keysDiffer(
        _ field: UnsafePointer<JSONField>, _ entry: UnsafePointer<JSONPlan>, from start: Int,
        _ text: UnsafePointer<UInt8>
    ) -> Bool {
        guard JSONRecords.hasDuplicateKey(sink.bytes(from: start), entry) else { return true }
        var walk = scan
        walk.next = text
        guard walk.enter() else { return false }
        var keys: Set<[UInt8]> = []
        repeat {
            walk.skipSpace()
            guard let key = walk.key() else { return false }
            guard keys.insert([UInt8](key.raw)).inserted else {
                scan.next = walk.next
                return scan.fail("the key \"\(key.shown)\" comes twice")
            }
            guard walk.colon(), walk.skipValue() else { return false }
            walk.skipSpace()
        } while walk.consume(UInt8(ascii: ","))
        return refuse("a key comes twice")
    }
}
