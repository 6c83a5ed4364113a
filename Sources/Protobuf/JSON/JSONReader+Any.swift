// A message of any type that is read.

extension JSONReader {
    /// An Any: its type as `@type`, and beside it the members of the message.
    ///
    /// A message with another form than an object is the member `value`.
    mutating func any(levels: Int) -> Bool {
        var walk = scan
        guard let type = Self.type(&walk) else {
            // The walk has met an error of the text.
            scan = walk
            return false
        }
        guard let url = type.url else {
            guard type.isEmpty else {
                path.append(.member("@type"))
                return refuse("the name of a type was expected")
            }
            scan = walk
            return true
        }
        guard let plan = url.withUnsafeBytes({ anys.plan(of: JSONBytes($0)) }) else {
            let name = url.withUnsafeBytes { JSONBytes($0).shown }
            path.append(.member("@type"))
            return refuse("messages of the type \"\(name)\" are not known here")
        }
        guard levels > 0 else { return refuse(CodecError.isTooDeep.message, .tooDeep) }
        sink.append(0x0A)
        sink.varint(UInt64(url.count))
        url.withUnsafeBytes { sink.append(long: $0) }
        let before = sink.offset
        sink.append(0x12)
        let start = sink.offset
        let width = sink.open(bound: scan.rest)
        let isRead =
            plan.pointee.form == .object
            ? members(plan, levels: levels - 1, inAny: true) : valueOfAny(plan, levels - 1)
        guard isRead else { return false }
        if sink.offset == start + width {
            sink.truncate(to: before)
        } else {
            sink.close(start, width)
        }
        return true
    }

    /// Looks for the type in the object that is here; nil if there is an error of the text.
    ///
    /// An object without members is passed.
    private static func type(_ walk: inout JSONScanner) -> (url: [UInt8]?, isEmpty: Bool)? {
        guard walk.enter() else { return nil }
        walk.skipSpace()
        if walk.byte == UInt8(ascii: "}") {
            walk.exit()
            return (nil, true)
        }
        repeat {
            walk.skipSpace()
            guard let key = walk.key() else { return nil }
            let isType = key.equals("@type")
            guard walk.colon() else { return nil }
            if isType {
                guard walk.byte == UInt8(ascii: "\"") else { return (nil, false) }
                guard let url = walk.string() else { return nil }
                return ([UInt8](url.raw), false)
            }
            guard walk.skipValue() else { return nil }
            walk.skipSpace()
        } while walk.consume(UInt8(ascii: ","))
        return (nil, false)
    }

    /// The object with the type and the value.
    private mutating func valueOfAny(_ plan: UnsafePointer<JSONPlan>, _ levels: Int) -> Bool {
        guard scan.enter() else { return false }
        var seen = JSONSeen()
        var hasValue = false
        repeat {
            scan.skipSpace()
            guard let key = scan.key() else { return false }
            let isValue = key.equals("value")
            guard isValue || key.equals("@type") else {
                guard unknown(key, plan) else { return false }
                continue
            }
            guard seen.insert(isValue ? 1 : 0) else {
                return scan.fail("the key \"\(key.shown)\" comes twice")
            }
            guard scan.colon() else { return false }
            if isValue {
                guard message(plan, levels: levels) else { return below(.member("value")) }
                hasValue = true
            } else {
                guard scan.skipValue() else { return false }
            }
            scan.skipSpace()
        } while scan.consume(UInt8(ascii: ","))
        guard scan.byte == UInt8(ascii: "}") else { return scan.failInObject() }
        guard hasValue else {
            path.append(.member("value"))
            return refuse("a value was expected")
        }
        scan.exit()
        return true
    }
}
