/// Rewrites valid bytes that libprotobuf-c cannot read to bytes of the same meaning.
///
/// Unknown fields, groups and records of a wrong wire type are dropped. If the message keeps them,
/// they are packed into one record instead. A singular message that comes twice becomes one with
/// both payloads: two encodings, one after the other, are the encoding of their merge. Of a `oneof`
/// only the records of the last case stay.
///
/// This is the slow path: nearly every message is ``Guard/Verdict/clean``. It works on arrays, with
/// bounds checks; only the walk itself uses a pointer.
enum Normal {
    /// The number of the record that carries all unknown fields of a message.
    ///
    /// It is the largest number there is, and no schema has it. An unknown field with the same
    /// number does no harm, because it is inside the record.
    private static let carrier: UInt32 = 536_870_911

    /// The facts that the walk finds about one record.
    private struct Record {
        let rule: FieldRule?
        let whole: Range<Int>
        let payload: Range<Int>
    }

    /// - Precondition: The guard has found the bytes unusual, so they are well formed.
    static func rewrite(
        _ bytes: UnsafeRawBufferPointer, _ layout: UnsafePointer<Layout>
    ) -> [UInt8] {
        rewrite([UInt8](bytes), layout)
    }

    private static func rewrite(_ bytes: [UInt8], _ layout: UnsafePointer<Layout>) -> [UInt8] {
        let records = records(bytes, layout)
        // The field, and the index in `records` of its first record after the last one of another
        // case of the same oneof.
        var winner: [UInt8: (number: UInt32, from: Int)] = [:]
        var last: [UInt32: Int] = [:]
        for (index, record) in records.enumerated() {
            guard let rule = record.rule else { continue }
            last[rule.number] = index
            if rule.oneof != 0, winner[rule.oneof]?.number != rule.number {
                winner[rule.oneof] = (rule.number, index)
            }
        }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        var unknown: [UInt8] = []
        var joined: [UInt32: [UInt8]] = [:]
        for (index, record) in records.enumerated() {
            guard let rule = record.rule else {
                if layout.pointee.keepsUnknown { unknown += bytes[record.whole] }
                continue
            }
            if rule.oneof != 0, let winner = winner[rule.oneof],
                winner.number != rule.number || index < winner.from
            {
                continue
            }
            guard rule.once != 0 || rule.content == .message else {
                output += bytes[record.whole]
                continue
            }
            var payload = [UInt8](bytes[record.payload])
            if rule.once != 0 {
                joined[rule.number, default: []] += payload
                guard last[rule.number] == index else { continue }
                payload = joined[rule.number] ?? []
            }
            if rule.content == .message, let child = rule.child {
                payload = rewrite(payload, child)
            }
            output.append(record: payload, tag: rule.number << 3 | 2)
        }
        if !unknown.isEmpty { output.append(record: unknown, tag: carrier << 3 | 2) }
        return output
    }

    private static func records(_ bytes: [UInt8], _ layout: UnsafePointer<Layout>) -> [Record] {
        bytes.withUnsafeBufferPointer { buffer in
            var records: [Record] = []
            guard let start = buffer.baseAddress else { return records }
            var wire = Wire(next: start, end: start + buffer.count)
            while !wire.isAtEnd {
                let from = wire.next - start
                guard let tag = wire.tag() else { break }
                let afterTag = wire
                guard wire.skipPayload(of: tag) == .done else { break }
                let whole = from..<(wire.next - start)
                var rule = layout.pointee.rule(tag >> 3)?.pointee
                if let known = rule, tag & 7 != known.wireType,
                    !(tag & 7 == 2 && known.isPackable)
                {
                    rule = nil
                }
                var payload = whole
                if tag & 7 == 2 {
                    var inner = afterTag
                    let length = inner.length() ?? 0
                    payload = (inner.next - start)..<(inner.next - start + length)
                }
                records.append(Record(rule: rule, whole: whole, payload: payload))
            }
            return records
        }
    }
}
