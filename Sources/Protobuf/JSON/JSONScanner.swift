import Memory

/// A position in a JSON text: a strict reader of RFC 8259 that builds nothing.
///
/// It takes no comments, no trailing commas and no lone surrogates. The caller keeps the text
/// alive.
struct JSONScanner {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var next: UnsafePointer<UInt8>
    /// The objects and lists around the position.
    private(set) var depth = 0
    /// The first error of the text.
    private(set) var failure: CodecError?
    /// The last string with escapes, without them.
    private var scratch: OutputBuffer?

    init(_ text: UnsafeRawBufferPointer) {
        // An empty buffer may have no start, and any start will do for it.
        start =
            text.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? StaticString("").utf8Start
        end = start + text.count
        next = start
    }

    init(_ text: JSONBytes) { self.init(text.raw) }

    /// The byte here; 0, with which no value begins, at the end.
    @inline(__always) var byte: UInt8 { next < end ? next.pointee : 0 }
    @inline(__always) var isAtEnd: Bool { next >= end }
    @inline(__always) var rest: Int { end - next }

    /// Keeps an error of the text, and returns false.
    @inline(never)
    mutating func fail(_ what: String, _ code: CodecError.Code = .invalidJSON) -> Bool {
        failure = failure ?? CodecError(code, "JSON, byte \(next - start): \(what)")
        return false
    }

    /// Keeps an error of the text, and returns nil.
    private mutating func none(
        _ what: String, _ code: CodecError.Code = .invalidJSON
    ) -> JSONBytes? {
        _ = fail(what, code)
        return nil
    }

    @inline(__always) mutating func skipSpace() {
        while next < end, next.pointee <= 0x20 {
            let byte = next.pointee
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            next += 1
        }
    }

    @inline(__always) mutating func consume(_ expected: UInt8) -> Bool {
        guard byte == expected, !isAtEnd else { return false }
        next += 1
        return true
    }

    mutating func word(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard rest >= count, JSONBytes.areEqual(next, word.utf8Start, count) else {
            return failAtValue()
        }
        next += count
        return true
    }

    private mutating func failAtValue() -> Bool {
        fail(isAtEnd ? "the text ends where a value should be" : "no value begins like this")
    }

    /// Goes into an object or a list, whose bracket is here.
    @inline(__always) mutating func enter() -> Bool {
        depth &+= 1
        next += 1
        return depth <= CodecLimits.jsonDepth || failAtDepth()
    }

    @inline(__always) mutating func exit() {
        depth &-= 1
        next += 1
    }

    private mutating func failAtDepth() -> Bool {
        failure =
            failure ?? CodecError(.tooDeep, "JSON nests deeper than \(CodecLimits.jsonDepth)")
        return false
    }

    /// The colon after a key, with the blanks around it.
    @inline(__always) mutating func colon() -> Bool {
        skipSpace()
        guard consume(UInt8(ascii: ":")) else { return fail("a colon should be here") }
        skipSpace()
        return true
    }

    /// The end of a text whose value was read.
    mutating func finish() -> Bool {
        skipSpace()
        return isAtEnd || fail("text after the value")
    }

    /// Whether the whole text is JSON; the same key twice is not looked for.
    mutating func document() -> Bool {
        skipSpace()
        return skipValue() && finish()
    }

    mutating func skipValue() -> Bool {
        switch byte {
        case UInt8(ascii: "{"): return skipObject()
        case UInt8(ascii: "["): return skipList()
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        case UInt8(ascii: "-"), 0x30...0x39: return number() != nil
        default: return failAtValue()
        }
    }

    private mutating func skipObject() -> Bool {
        guard enter() else { return false }
        skipSpace()
        if byte != UInt8(ascii: "}") {
            repeat {
                skipSpace()
                guard key() != nil, colon(), skipValue() else { return false }
                skipSpace()
            } while consume(UInt8(ascii: ","))
        }
        guard byte == UInt8(ascii: "}") else { return failInObject() }
        exit()
        return true
    }

    private mutating func skipList() -> Bool {
        guard enter() else { return false }
        skipSpace()
        if byte != UInt8(ascii: "]") {
            repeat {
                skipSpace()
                guard skipValue() else { return false }
                skipSpace()
            } while consume(UInt8(ascii: ","))
        }
        guard byte == UInt8(ascii: "]") else { return failInList() }
        exit()
        return true
    }

    mutating func failInObject() -> Bool { fail("the object should go on or end here") }
    mutating func failInList() -> Bool { fail("the list should go on or end here") }

    /// The key that is here; nil if there is an error.
    @inline(__always) mutating func key() -> JSONBytes? {
        guard byte == UInt8(ascii: "\"") else { return none("a key should be here") }
        return string()
    }

    private mutating func digits() -> Bool {
        let first = next
        while byte &- 0x30 < 10 { next += 1 }
        return next > first || fail("a digit should be here")
    }

    /// The number that is here, as it is written; nil if there is an error.
    mutating func number() -> JSONBytes? {
        let first = next
        _ = consume(UInt8(ascii: "-"))
        if !consume(UInt8(ascii: "0")) { guard digits() else { return nil } }
        if consume(UInt8(ascii: ".")) { guard digits() else { return nil } }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            guard digits() else { return nil }
        }
        return JSONBytes(start: first, count: next - first)
    }
}

extension JSONScanner {
    /// The string whose quote is here, without escapes; nil if there is an error.
    ///
    /// The bytes are valid until the next string is read. They are UTF-8.
    @inline(__always) mutating func string() -> JSONBytes? {
        let first = next + 1
        var at = first
        var high: UInt64 = 0
        while end - at >= 8 {
            let word = UInt64(
                littleEndian: UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
            let stops = JSONWord.stops(word)
            guard stops == 0 else {
                // Only the bytes before the stop belong to the run.
                high |= word & ((stops & (0 &- stops)) &- 1)
                at += stops.trailingZeroBitCount &>> 3
                return string(first, at, high)
            }
            high |= word
            at += 8
        }
        while at < end {
            let byte = at.pointee
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            high |= UInt64(byte)
            at += 1
        }
        return string(first, at, high)
    }

    /// The string of which the bytes from `first` to `stop` are plain.
    ///
    /// - Parameter high: It has a high bit of a byte if one of those bytes has.
    @inline(__always)
    private mutating func string(
        _ first: UnsafePointer<UInt8>, _ stop: UnsafePointer<UInt8>, _ high: UInt64
    ) -> JSONBytes? {
        guard stop < end, stop.pointee == UInt8(ascii: "\""), high & JSONWord.highBits == 0 else {
            return unusualString(first)
        }
        next = stop + 1
        return JSONBytes(start: first, count: stop - first)
    }

    /// A string with escapes, or with characters beyond ASCII, or a string with an error.
    @inline(never)
    private mutating func unusualString(_ first: UnsafePointer<UInt8>) -> JSONBytes? {
        next = first
        var run = first
        var output: OutputBuffer?
        while next < end {
            let byte = next.pointee
            if byte == UInt8(ascii: "\"") {
                let rest = JSONBytes(start: run, count: next - run)
                next += 1
                return checked(rest, output: output)
            }
            if byte == UInt8(ascii: "\\") {
                let buffer = output ?? emptyScratch()
                output = buffer
                buffer.append(JSONBytes(start: run, count: next - run).raw)
                next += 1
                guard escape(buffer) else { return nil }
                run = next
            } else if byte < 0x20 {
                return none("a control character must be escaped")
            } else {
                next += 1
            }
        }
        return none("the string does not end")
    }

    private mutating func emptyScratch() -> OutputBuffer {
        let buffer = scratch ?? OutputBuffer(capacity: 256)
        buffer.truncate(to: 0)
        scratch = buffer
        return buffer
    }

    /// The end of a string, with its beginning before it.
    private mutating func checked(_ end: JSONBytes, output: OutputBuffer?) -> JSONBytes? {
        var whole = end
        if let output {
            output.append(end.raw)
            guard let start = output.bytes.baseAddress else { return nil }
            whole = JSONBytes(
                start: start.assumingMemoryBound(to: UInt8.self), count: output.count)
        }
        guard UTF8Check.isValid(whole.start, whole.count) else {
            return none("the string before is not valid UTF-8", .invalidUTF8)
        }
        return whole
    }

    private mutating func escape(_ output: OutputBuffer) -> Bool {
        guard next < end else { return fail("the string does not end") }
        let byte = next.pointee
        next += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): append(byte, output)
        case UInt8(ascii: "b"): append(0x08, output)
        case UInt8(ascii: "f"): append(0x0C, output)
        case UInt8(ascii: "n"): append(0x0A, output)
        case UInt8(ascii: "r"): append(0x0D, output)
        case UInt8(ascii: "t"): append(0x09, output)
        case UInt8(ascii: "u"): return escapedCharacter(output)
        default: return fail("no such escape")
        }
        return true
    }

    private func append(_ byte: UInt8, _ output: OutputBuffer) {
        output.reserve(1).storeBytes(of: byte, as: UInt8.self)
        output.advance(1)
    }

    private mutating func escapedCharacter(_ output: OutputBuffer) -> Bool {
        guard var code = hexadecimal() else { return false }
        if code & 0xFC00 == 0xD800 {
            guard consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")) else {
                return fail("half a surrogate pair")
            }
            guard let low = hexadecimal() else { return false }
            guard low & 0xFC00 == 0xDC00 else { return fail("half a surrogate pair") }
            code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(code) else { return fail("half a surrogate pair") }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            append(byte, output)
        }
        return true
    }

    private mutating func hexadecimal() -> UInt32? {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Self.digit(byte) else {
                _ = fail("four hexadecimal digits should be here")
                return nil
            }
            code = code << 4 | digit
            next += 1
        }
        return code
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) - 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) - 0x37
        default: nil
        }
    }
}
