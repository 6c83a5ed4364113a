// Numbers and well-known messages that are read.

extension JSONReader {
    /// The bits of a number as its wire type has them; nil if there is an error.
    @inline(__always) mutating func number(_ field: UnsafePointer<JSONField>) -> UInt64? {
        let kind = field.pointee.kind
        switch kind {
        case .bool:
            switch scan.byte {
            case UInt8(ascii: "t"): return scan.word("true") ? 1 : nil
            case UInt8(ascii: "f"): return scan.word("false") ? 0 : nil
            default: break
            }
        case .float, .double:
            if let bits = real(kind) { return bits }
        case .enumeration:
            if let bits = enumeration(field) { return bits }
        default:
            if let integer = integer(), let bits = integer.bits(kind) { return bits }
        }
        // If the text has an error, this one is not shown.
        _ = refuseValue(field)
        return nil
    }

    private mutating func enumeration(_ field: UnsafePointer<JSONField>) -> UInt64? {
        guard scan.byte == UInt8(ascii: "\"") else { return integer()?.bits(.int32) }
        guard let name = scan.string(), let values = field.pointee.values else { return nil }
        let index = values.pointee.names.index(of: name)
        guard index >= 0 else { return nil }
        return UInt64(bitPattern: Int64(values.pointee.values[index].number))
    }

    /// A number without a fraction, or a string that holds one; "1e3" and "1.0" are integers too.
    @inline(__always) private mutating func integer() -> JSONInteger? {
        var at = scan.next
        let end = scan.end
        let isQuoted = scan.byte == UInt8(ascii: "\"")
        if isQuoted { at += 1 }
        let isNegative = at < end && at.pointee == UInt8(ascii: "-")
        if isNegative { at += 1 }
        let first = at
        var magnitude: UInt64 = 0
        while at < end, at.pointee &- 0x30 < 10 {
            magnitude = magnitude &* 10 &+ UInt64(at.pointee &- 0x30)
            at += 1
        }
        let count = at - first
        // Nineteen digits are never too large.
        guard count > 0, count <= 19, count == 1 || first.pointee != 0x30, at < end else {
            return unusualInteger()
        }
        if isQuoted {
            guard at.pointee == UInt8(ascii: "\"") else { return unusualInteger() }
            at += 1
        } else if at.pointee == UInt8(ascii: ".") || at.pointee | 0x20 == UInt8(ascii: "e") {
            return unusualInteger()
        }
        scan.next = at
        return JSONInteger(isNegative: isNegative, magnitude: magnitude)
    }

    @inline(never) private mutating func unusualInteger() -> JSONInteger? {
        numeral().flatMap { JSONNumber.integer($0) }
    }

    private mutating func real(_ kind: ScalarKind) -> UInt64? {
        let isQuoted = scan.byte == UInt8(ascii: "\"")
        guard isQuoted else { return numeral().flatMap { JSONNumber.real($0, kind) } }
        guard let text = scan.string() else { return nil }
        return JSONNumber.word(text, kind)
            ?? (JSONNumber.isNumeral(text) ? JSONNumber.real(text, kind) : nil)
    }

    /// A number, or a string that holds one.
    private mutating func numeral() -> JSONBytes? {
        switch scan.byte {
        case UInt8(ascii: "\""):
            guard let text = scan.string(), JSONNumber.isNumeral(text) else { return nil }
            return text
        case UInt8(ascii: "-"), 0x30...0x39: return scan.number()
        default: return nil
        }
    }

    /// A message that is a string in JSON.
    mutating func wellKnown(_ plan: UnsafePointer<JSONPlan>) -> Bool {
        if scan.byte == UInt8(ascii: "\"") {
            guard let text = scan.string() else { return false }
            switch plan.pointee.form {
            case .duration:
                if let time = JSONTime(duration: text) { return append(time) }
            case .timestamp:
                if let time = JSONTime(timestamp: text) { return append(time) }
            default:
                return mask(text)
            }
        }
        let name = plan.pointee.name.text
        return refuse("a string in the form of \(name) was expected")
    }

    private mutating func append(_ time: JSONTime) -> Bool {
        if time.seconds != 0 {
            sink.append(0x08)
            sink.varint(UInt64(bitPattern: time.seconds))
        }
        if time.nanos != 0 {
            sink.append(0x10)
            sink.varint(UInt64(bitPattern: Int64(time.nanos)))
        }
        return true
    }

    private mutating func mask(_ text: JSONBytes) -> Bool {
        let failure = JSONMask.read(text) { path in
            sink.append(0x0A)
            sink.varint(UInt64(path.count))
            path.withUnsafeBytes { sink.append(long: $0) }
        }
        return failure.map { refuse($0.words) } ?? true
    }
}
