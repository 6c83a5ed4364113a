/// Rewrites valid bytes that libprotobuf-c cannot read to bytes of the same meaning.
///
/// Unknown fields, groups and records of a wrong wire type are dropped. If the message keeps them,
/// they are packed into one record instead. A singular message that comes twice becomes one with
/// both payloads: two encodings, one after the other, are the encoding of their merge. Of a `oneof`
/// only the records of the last case stay.
///
/// Few messages come here, but a sender may choose that its own do. So records that stay are copied
/// in runs, nothing is kept for a record, and a record costs about what the guard took for it.
struct Normal {
    /// The number of the record that carries all unknown fields of a message.
    ///
    /// It is the largest number there is, and no schema has it. An unknown field with the same
    /// number does no harm, because it is inside the record.
    private static let carrier: UInt32 = 536_870_911

    /// The bytes of the longest length, which every length takes that is known only later.
    private static let lengthBytes = 5

    /// Whether a singular message may come twice.
    private let joins: Bool
    private var output: [UInt8] = []

    /// - Parameter joins: Whether a singular message comes twice somewhere; if not, there are only
    ///   unknown fields to drop.
    /// - Precondition: The guard has found the bytes unusual, so they are well formed.
    static func rewrite(
        _ bytes: UnsafeRawBufferPointer, _ layout: UnsafePointer<Layout>, joins: Bool
    ) -> [UInt8] {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return [] }
        var normal = Normal(joins: joins)
        normal.output.reserveCapacity(bytes.count + 16)
        normal.message(Wire(next: start, end: start + bytes.count), layout)
        return normal.output
    }

    private init(joins: Bool) {
        self.joins = joins
    }

    private mutating func message(_ message: Wire, _ layout: UnsafePointer<Layout>) {
        let ends = joins ? Ends(of: message, layout) : Ends()
        var parts: [UInt8: [UInt8]] = [:]
        var unknown: [UInt8] = []
        var wire = message
        // The records from here on stay as they are, and are not yet copied.
        var run = wire.next
        while !wire.isAtEnd {
            let start = wire.next
            guard let (rule, payload) = Self.record(&wire, layout) else { break }
            if let rule, Self.isPlain(rule), !ends.drops(rule, at: start) { continue }
            copy(from: run, to: start)
            run = wire.next
            guard let rule else {
                if layout.pointee.keepsUnknown {
                    unknown += UnsafeBufferPointer(start: start, count: run - start)
                }
                continue
            }
            guard !ends.drops(rule, at: start) else { continue }
            nested(payload, rule, &parts, isLast: ends.isLast(rule, at: start))
        }
        copy(from: run, to: wire.end)
        guard !unknown.isEmpty else { return }
        output.append(record: unknown, tag: Self.carrier << 3 | 2)
    }

    private mutating func copy(from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
        if end > start { output += UnsafeBufferPointer(start: start, count: end - start) }
    }

    /// Writes a message field; if another part of it is still to come, keeps this one for that.
    private mutating func nested(
        _ payload: Wire, _ rule: UnsafePointer<FieldRule>, _ parts: inout [UInt8: [UInt8]],
        isLast: Bool
    ) {
        let bytes = UnsafeBufferPointer(start: payload.next, count: payload.rest)
        guard isLast else { return parts[rule.pointee.once, default: []] += bytes }
        guard let child = rule.pointee.child else {
            // A message that is kept as its bytes.
            let whole = (parts.removeValue(forKey: rule.pointee.once) ?? []) + bytes
            return output.append(record: whole, tag: rule.pointee.number << 3 | 2)
        }
        output.append(varint: UInt64(rule.pointee.number << 3 | 2))
        let start = output.count
        output += repeatElement(0x80, count: Self.lengthBytes)
        if var whole = parts.isEmpty ? nil : parts.removeValue(forKey: rule.pointee.once) {
            whole += bytes
            whole.withUnsafeBufferPointer { whole in
                guard let first = whole.baseAddress else { return }
                message(Wire(next: first, end: first + whole.count), child)
            }
        } else {
            message(payload, child)
        }
        // A length may have bits of zero after its highest one.
        var length = output.count - start - Self.lengthBytes
        for index in start..<(start + Self.lengthBytes) {
            output[index] |= UInt8(length & 0x7F)
            length >>= 7
        }
        output[start + Self.lengthBytes - 1] &= 0x7F
    }

    /// Whether records of the field stay as they are: it is not a message.
    @inline(__always)
    private static func isPlain(_ rule: UnsafePointer<FieldRule>) -> Bool {
        rule.pointee.content != .message && rule.pointee.once == 0
    }

    /// The record that is here: its rule, if it is known, and its payload, if it has a length.
    @inline(__always)
    fileprivate static func record(
        _ wire: inout Wire, _ layout: UnsafePointer<Layout>
    ) -> (rule: UnsafePointer<FieldRule>?, payload: Wire)? {
        guard let tag = wire.tag() else { return nil }
        var payload = wire
        guard wire.skipPayload(of: tag) == .done else { return nil }
        let type = tag & 7
        guard let rule = layout.pointee.rule(tag >> 3),
            type == rule.pointee.wireType || (type == 2 && rule.pointee.isPackable)
        else { return (nil, payload) }
        if type == 2 {
            _ = payload.length()
            payload = Wire(next: payload.next, end: wire.next)
        }
        return (rule, payload)
    }
}

/// Where the fields of one message come last: its singular messages, and the cases of its oneofs.
private struct Ends {
    /// By ``FieldRule/once``, the last record of a singular message.
    private var last = Positions<UnsafePointer<UInt8>>()
    /// By ``FieldRule/oneof``, the number of the last case, and its first record after the last one
    /// of another case.
    private var cases = Positions<(number: UInt32, from: UnsafePointer<UInt8>)>()

    init() {}

    init(of message: Wire, _ layout: UnsafePointer<Layout>) {
        var wire = message
        while !wire.isAtEnd {
            let start = wire.next
            guard let (rule, _) = Normal.record(&wire, layout) else { return }
            guard let rule else { continue }
            if rule.pointee.once != 0 { last[rule.pointee.once] = start }
            let oneof = rule.pointee.oneof
            if oneof != 0, cases[oneof]?.number != rule.pointee.number {
                cases[oneof] = (rule.pointee.number, start)
            }
        }
    }

    /// Whether a later case of the same `oneof` replaces the record.
    @inline(__always)
    func drops(_ rule: UnsafePointer<FieldRule>, at start: UnsafePointer<UInt8>) -> Bool {
        guard rule.pointee.oneof != 0, let end = cases[rule.pointee.oneof] else { return false }
        return end.number != rule.pointee.number || start < end.from
    }

    /// Whether no further record of the singular message follows.
    @inline(__always)
    func isLast(_ rule: UnsafePointer<FieldRule>, at start: UnsafePointer<UInt8>) -> Bool {
        guard rule.pointee.once != 0, let last = last[rule.pointee.once] else { return true }
        return last == start
    }
}

/// Values by small numbers, most of which have none.
private struct Positions<Value> {
    private var values: [Value?] = []

    subscript(index: UInt8) -> Value? {
        @inline(__always) get { Int(index) < values.count ? values[Int(index)] : nil }
        set {
            while values.count <= Int(index) { values.append(nil) }
            values[Int(index)] = newValue
        }
    }
}
