import Memory

/// Walks over encoded bytes before libprotobuf-c sees them, and keeps bytes from it that it would
/// handle wrongly.
///
/// The library (1.4.1) bounds neither depth nor memory, and checks no UTF-8. It loses fields if a
/// singular message comes twice, and refuses a whole message for a group or a wrong wire type. The
/// guard refuses invalid bytes. Valid bytes that the library cannot read go to ``Normal``. All
/// others, nearly all messages, are handed on as they came.
struct Guard {
    /// The step that the bytes need before the library reads them.
    enum Verdict {
        /// The library reads the bytes correctly.
        case clean
        /// The bytes are valid, and must be rewritten first: unknown fields are dropped, and if
        /// `joins`, the parts of a singular message become one.
        case unusual(joins: Bool)
    }

    private var budget = CodecLimits.decodedBytes
    private var unknownFields = 0
    /// Whether a singular message comes twice.
    private var joins = false
    private var failure: CodecError?

    /// - Throws: ``CodecError``: the first error in the bytes, which is `malformed`, `invalidUTF8`,
    ///   `tooDeep` or `tooLarge`.
    static func check(
        _ bytes: UnsafeRawBufferPointer, _ layout: UnsafePointer<Layout>
    ) throws(CodecError) -> Verdict {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return .clean
        }
        var walk = Guard()
        let whole = Wire(next: start, end: start + bytes.count)
        guard walk.message(whole, layout, levels: CodecLimits.messageDepth) else {
            throw walk.failure ?? CodecError(.malformed, "\(layout.pointee.name) is malformed")
        }
        guard walk.joins || walk.unknownFields > 0 else { return .clean }
        return .unusual(joins: walk.joins)
    }

    /// Returns false, and keeps the error, if the message must be refused.
    ///
    /// It calls itself for message fields, as the library will; `levels` is how many more may
    /// follow.
    private mutating func message(
        _ wire: Wire, _ layout: UnsafePointer<Layout>, levels: Int
    ) -> Bool {
        var wire = wire
        var seen: UInt64 = 0
        while !wire.isAtEnd {
            guard let tag = wire.tag() else { return refuse(.malformed, layout) }
            let type = tag & 7
            guard let rule = layout.pointee.rule(tag >> 3),
                type == rule.pointee.wireType || (type == 2 && rule.pointee.isPackable)
            else {
                // The field is unknown, or its wire type makes a known field unknown.
                unknownFields += 1
                guard unknownFields <= CodecLimits.unknownFields else {
                    return refuse(.tooManyUnknown, layout)
                }
                switch wire.skipPayload(of: tag) {
                case .done: continue
                case .malformed: return refuse(.malformed, layout)
                case .tooDeep: return refuse(.tooDeep, layout)
                }
            }
            budget -= rule.pointee.recordCharge
            guard budget >= 0 else { return refuse(.tooLarge, layout, rule) }
            switch type {
            case 0: guard wire.skipVarint() else { return refuse(.malformed, layout, rule) }
            case 1: guard wire.skip(8) else { return refuse(.malformed, layout, rule) }
            case 5: guard wire.skip(4) else { return refuse(.malformed, layout, rule) }
            default:
                guard let length = wire.length() else {
                    return refuse(.malformed, layout, rule)
                }
                let payload = Wire(next: wire.next, end: wire.next + length)
                guard counted(payload, layout, rule, levels) else { return false }
                if rule.pointee.once != 0 {
                    let bit: UInt64 = 1 << UInt64(rule.pointee.once - 1)
                    if seen & bit != 0 { joins = true }
                    seen |= bit
                }
                wire.next += length
                if rule.pointee.content == .text, tag < 0x80 {
                    guard texts(&wire, UInt8(tag), layout, rule) else { return false }
                }
            }
        }
        return true
    }

    /// The further texts of a list, whose records mostly stand one after another.
    ///
    /// Each is checked as the first one was; only its tag and its rule are known.
    @inline(__always)
    private mutating func texts(
        _ wire: inout Wire, _ tag: UInt8, _ layout: UnsafePointer<Layout>,
        _ rule: UnsafePointer<FieldRule>
    ) -> Bool {
        let charge = rule.pointee.recordCharge
        while !wire.isAtEnd, wire.next.pointee == tag {
            wire.next += 1
            budget -= charge
            guard budget >= 0 else { return refuse(.tooLarge, layout, rule) }
            guard let length = wire.length() else { return refuse(.malformed, layout, rule) }
            budget -= length
            guard UTF8Check.isValid(wire.next, length) else {
                return refuse(.invalidUTF8, layout, rule)
            }
            wire.next += length
        }
        return true
    }

    /// The payload of a length-counted field.
    @inline(__always)
    private mutating func counted(
        _ payload: Wire, _ layout: UnsafePointer<Layout>, _ rule: UnsafePointer<FieldRule>,
        _ levels: Int
    ) -> Bool {
        switch rule.pointee.content {
        case .text:
            budget -= payload.rest
            guard UTF8Check.isValid(payload.next, payload.rest) else {
                return refuse(.invalidUTF8, layout, rule)
            }
            return true
        case .bytes:
            budget -= payload.rest
            return true
        case .message:
            guard let child = rule.pointee.child else { return true }
            guard levels > 0 else { return refuse(.tooDeep, layout, rule) }
            return message(payload, child, levels: levels - 1)
        case .varint: return packedVarints(payload, layout, rule)
        case .fixed64: return packedFixed(payload, 8, layout, rule)
        case .fixed32: return packedFixed(payload, 4, layout, rule)
        }
    }

    private mutating func packedFixed(
        _ payload: Wire, _ size: Int, _ layout: UnsafePointer<Layout>,
        _ rule: UnsafePointer<FieldRule>
    ) -> Bool {
        guard payload.rest % size == 0 else { return refuse(.malformed, layout, rule) }
        // It takes as many bytes in C, and as many in Swift, as on the wire.
        budget -= 2 * payload.rest
        guard budget >= 0 else { return refuse(.tooLarge, layout, rule) }
        return true
    }

    private mutating func packedVarints(
        _ payload: Wire, _ layout: UnsafePointer<Layout>, _ rule: UnsafePointer<FieldRule>
    ) -> Bool {
        var payload = payload
        while !payload.isAtEnd {
            guard payload.skipVarint() else { return refuse(.malformed, layout, rule) }
            // It takes eight bytes in C, and up to eight in Swift, for one byte on the wire.
            budget -= 16
        }
        guard budget >= 0 else { return refuse(.tooLarge, layout, rule) }
        return true
    }

    private mutating func refuse(
        _ code: CodecError.Code, _ layout: UnsafePointer<Layout>,
        _ rule: UnsafePointer<FieldRule>? = nil
    ) -> Bool {
        var subject = layout.pointee.name.description
        if let rule { subject += ".\(rule.pointee.name)" }
        let message =
            switch code {
            case .invalidUTF8: "\(subject) is not valid UTF-8"
            case .tooDeep where rule != nil:
                "\(subject) is a message nested deeper than \(CodecLimits.messageDepth)"
            case .tooDeep: "\(subject) holds groups nested deeper than \(CodecLimits.groupDepth)"
            case .tooManyUnknown:
                "\(subject) holds more than \(CodecLimits.unknownFields) unknown fields"
            case .tooLarge:
                "\(subject) would take more than \(CodecLimits.decodedBytes) bytes of memory"
            default: "\(subject) is malformed"
            }
        failure = CodecError(code, message)
        return false
    }
}
