/// The records of a message that are not in the order of their fields.
///
/// This is the slow path: an encoder writes each field once, in the order of the numbers.
enum JSONRecords {
    enum Order {
        /// That of an encoding, and that of JSON.
        case number, json
    }

    private struct Record {
        /// Of the field in the plan.
        let index: Int
        let whole: JSONBytes
        let payload: JSONBytes
    }

    /// The message with its records in order, as its reader understands it; nil if it is malformed.
    ///
    /// Unknown fields are left out. The last of several values stays, messages are merged, and a
    /// map has its keys in order, each once. The messages inside stay as they are.
    static func sorted(
        _ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>, by order: Order
    ) -> [UInt8]? {
        guard let all = records(bytes, plan) else { return nil }
        let records = winners(all, plan)
        let fields = plan.pointee.fields
        let order = records.indices.sorted { one, other in
            let (first, second) = (records[one].index, records[other].index)
            if first == second { return one < other }
            return order == .json
                ? first < second : fields[first].number < fields[second].number
        }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var from = 0
        while from < order.count {
            let index = records[order[from]].index
            let end =
                order[from...].firstIndex { records[$0].index != index } ?? order.count
            let group = order[from..<end].map { records[$0] }
            guard append(group, fields + index, to: &output) else { return nil }
            from = end
        }
        return output
    }

    /// Whether two of the entries, which stand alone in `bytes`, have the same key.
    static func hasDuplicateKey(_ bytes: JSONBytes, _ entry: UnsafePointer<JSONPlan>) -> Bool {
        var wire = Wire(next: bytes.start, end: bytes.start + bytes.count)
        var keys: [JSONKey] = []
        while !wire.isAtEnd, wire.tag() != nil, let count = wire.length() {
            keys.append(key(JSONBytes(start: wire.next, count: count), entry))
            wire.next += count
        }
        keys.sort(by: JSONKey.precedes)
        return zip(keys, keys.dropFirst()).contains { JSONKey.areEqual($0, $1) }
    }

    private static func records(
        _ bytes: JSONBytes, _ plan: UnsafePointer<JSONPlan>
    ) -> [Record]? {
        var records: [Record] = []
        var wire = Wire(next: bytes.start, end: bytes.start + bytes.count)
        while !wire.isAtEnd {
            let start = wire.next
            guard let tag = wire.tag() else { return nil }
            var inner = wire
            guard wire.skipPayload(of: tag) == .done else { return nil }
            let index = plan.pointee.index(of: tag >> 3)
            guard index >= 0, plan.pointee.fields[index].takes(tag) else { continue }
            if tag & 7 == 2 { guard inner.length() != nil else { return nil } }
            records.append(
                Record(
                    index: index, whole: JSONBytes(start: start, count: wire.next - start),
                    payload: JSONBytes(start: inner.next, count: wire.next - inner.next)))
        }
        return records
    }

    /// The records without those of a `oneof` after which another case comes.
    private static func winners(
        _ records: [Record], _ plan: UnsafePointer<JSONPlan>
    ) -> [Record] {
        var winner: [Int: (index: Int, from: Int)] = [:]
        for (position, record) in records.enumerated() {
            let oneof = plan.pointee.fields[record.index].oneof
            if oneof != 0, winner[oneof]?.index != record.index {
                winner[oneof] = (record.index, position)
            }
        }
        return records.enumerated().filter { position, record in
            guard let winner = winner[plan.pointee.fields[record.index].oneof] else { return true }
            return winner.index == record.index && position >= winner.from
        }.map(\.element)
    }

    /// Appends the records of one field; returns false if one is malformed.
    private static func append(
        _ records: [Record], _ field: UnsafePointer<JSONField>, to output: inout [UInt8]
    ) -> Bool {
        switch field.pointee.shape {
        case .list, .packed: for record in records { output += record.whole.raw }
        case .singular:
            guard field.pointee.child != nil else {
                output += records[records.count - 1].whole.raw
                return true
            }
            // Two encodings, one after the other, are the encoding of their merge.
            var merged: [UInt8] = []
            for record in records { merged += record.payload.raw }
            output.append(record: merged, tag: field.pointee.tag)
        case .map:
            guard let entry = field.pointee.child else { return false }
            return appendEntries(records, field.pointee.tag, entry, to: &output)
        }
        return true
    }

    private static func appendEntries(
        _ records: [Record], _ tag: UInt32, _ plan: UnsafePointer<JSONPlan>,
        to output: inout [UInt8]
    ) -> Bool {
        var entries: [(key: JSONKey, bytes: [UInt8])] = []
        for record in records {
            guard let bytes = sorted(record.payload, plan, by: .number) else { return false }
            let key = bytes.withUnsafeBytes { Self.key(JSONBytes($0), plan) }
            entries.append((key, bytes))
        }
        let order = entries.indices.sorted { one, other in
            let (first, second) = (entries[one].key, entries[other].key)
            if JSONKey.areEqual(first, second) { return one < other }
            return JSONKey.precedes(first, second)
        }
        for (position, index) in order.enumerated() {
            // The last entry of a key wins.
            if position + 1 < order.count,
                JSONKey.areEqual(entries[index].key, entries[order[position + 1]].key)
            {
                continue
            }
            output.append(record: entries[index].bytes, tag: tag)
        }
        return true
    }

    /// The key of an entry whose records are in order; without a record it is zero or empty.
    private static func key(_ entry: JSONBytes, _ plan: UnsafePointer<JSONPlan>) -> JSONKey {
        let field = plan.pointee.fields
        let kind = field.pointee.kind
        var wire = Wire(next: entry.start, end: entry.start + entry.count)
        let isThere = !wire.isAtEnd && wire.tag() == field.pointee.tag
        guard kind != .string else {
            guard isThere, let count = wire.length() else { return JSONKey(order: 0, bytes: []) }
            return JSONKey(
                order: 0, bytes: [UInt8](UnsafeBufferPointer(start: wire.next, count: count)))
        }
        let bits = isThere ? wire.bits(field.pointee.wireType) ?? 0 : 0
        return JSONKey(order: JSONKey.order(JSONNumber.value(bits, kind), kind), bytes: [])
    }
}

extension Wire {
    /// The bits of a number of that wire type; nil if the bytes break the format.
    @inline(__always) mutating func bits(_ wireType: UInt32) -> UInt64? {
        switch wireType {
        case 0: return varint()
        case 5:
            guard rest >= 4 else { return nil }
            defer { next += 4 }
            return UInt64(
                UInt32(littleEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt32.self)))
        default:
            guard rest >= 8 else { return nil }
            defer { next += 8 }
            return UInt64(littleEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
        }
    }
}
