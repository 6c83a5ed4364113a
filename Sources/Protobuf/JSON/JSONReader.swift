/// The walk over a JSON text that writes the message's encoding, by proto3's mapping.
///
/// A field is found by its JSON name or by its name in the contract. Each function returns false if
/// there is an error, which the reader keeps. Then every level adds its part of the path.
struct JSONReader {
    /// A part of the path of an error.
    enum Step {
        case member(String), element(String)
    }

    var scan: JSONScanner
    var sink: JSONSink
    let anys: JSONAnys
    /// Whether a member that is not a field is skipped.
    let ignoresUnknown: Bool
    /// The first value that has another form than its field.
    private var refusal: (code: CodecError.Code, what: String)?
    /// The path of the refusal, its last part first.
    var path: [Step] = []

    init(
        _ json: UnsafeRawBufferPointer, _ sink: JSONSink, _ anys: JSONAnys, ignoresUnknown: Bool
    ) {
        scan = JSONScanner(json)
        self.sink = sink
        self.anys = anys
        self.ignoresUnknown = ignoresUnknown
    }

    /// Reads the whole text as one message.
    mutating func document(_ plan: UnsafePointer<JSONPlan>) throws(CodecError) {
        scan.skipSpace()
        if message(plan, levels: CodecLimits.messageDepth), scan.finish() { return }
        if let failure = scan.failure { throw failure }
        // A text that is not JSON is refused as such, wherever its error is.
        var whole = JSONScanner(
            JSONBytes(start: scan.start, count: scan.end - scan.start))
        _ = whole.document()
        throw whole.failure ?? located
    }

    private var located: CodecError {
        var text = ""
        for step in path.reversed() {
            switch step {
            case .member(let name): text += text.isEmpty ? name : ".\(name)"
            case .element(let index): text += index
            }
        }
        let (code, what) = refusal ?? (.invalidJSON, "no message was found")
        return CodecError(code, "\(text.isEmpty ? "the request" : text): \(what)")
    }

    @inline(never)
    mutating func refuse(_ what: String, _ code: CodecError.Code = .invalidJSON) -> Bool {
        refusal = refusal ?? (code, what)
        return false
    }

    /// Adds a part to the path of an error, and returns false.
    @inline(never) mutating func below(_ step: Step) -> Bool {
        path.append(step)
        return false
    }

    mutating func message(_ plan: UnsafePointer<JSONPlan>, levels: Int) -> Bool {
        switch plan.pointee.form {
        case .object:
            guard scan.byte == UInt8(ascii: "{") else { return refuse("an object was expected") }
            return members(plan, levels: levels, inAny: false)
        case .any:
            guard scan.byte == UInt8(ascii: "{") else { return refuse("an object was expected") }
            return any(levels: levels)
        case .duration, .timestamp, .mask: return wellKnown(plan)
        }
    }

    /// The members of the object that is here.
    ///
    /// - Parameter inAny: Whether one of them is the type of an Any.
    mutating func members(_ plan: UnsafePointer<JSONPlan>, levels: Int, inAny: Bool) -> Bool {
        var object = JSONObject(plan, start: sink.offset, text: scan.next)
        guard scan.enter() else { return false }
        scan.skipSpace()
        if scan.byte != UInt8(ascii: "}") {
            repeat {
                scan.skipSpace()
                guard let key = scan.key() else { return false }
                let index = plan.pointee.index(of: key, guess: object.guess)
                guard index >= 0 else {
                    guard inAny, key.equals("@type") else {
                        guard unknown(key, plan) else { return false }
                        continue
                    }
                    guard object.seen.insert(plan.pointee.count) else {
                        return scan.fail("the key \"@type\" comes twice")
                    }
                    guard scan.colon(), scan.skipValue() else { return false }
                    scan.skipSpace()
                    continue
                }
                guard object.seen.insert(index) else { return twice(key, index, object) }
                guard scan.colon() else { return false }
                object.guess = index &+ 1
                guard member(plan.pointee.fields + index, &object, levels) else {
                    return below(.member(plan.pointee.fields[index].name.text))
                }
                scan.skipSpace()
            } while scan.consume(UInt8(ascii: ","))
        }
        guard scan.byte == UInt8(ascii: "}") else { return scan.failInObject() }
        scan.exit()
        if !object.isSorted { sort(plan, from: object.start) }
        return true
    }

    /// Refuses a member that is not a field of its message, or skips it.
    @inline(never)
    mutating func unknown(_ key: JSONBytes, _ plan: UnsafePointer<JSONPlan>) -> Bool {
        if ignoresUnknown {
            guard scan.colon(), scan.skipValue() else { return false }
            scan.skipSpace()
            return true
        }
        path.append(.member(key.shown))
        return refuse("\(plan.pointee.name.text) has no such field")
    }

    /// Refuses a member whose field was there before, under this name or under its other one.
    private mutating func twice(_ key: JSONBytes, _ index: Int, _ object: JSONObject) -> Bool {
        let (text, shown) = (key.text, key.shown)
        if Self.contains(text, from: object.text, before: scan) {
            return scan.fail("the key \"\(shown)\" comes twice")
        }
        path.append(.member(object.plan.pointee.fields[index].name.text))
        return refuse("the field comes twice, under both its names")
    }

    /// Whether the object that begins at `start` has the key before the one that was just read.
    private static func contains(
        _ key: String, from start: UnsafePointer<UInt8>, before scan: JSONScanner
    ) -> Bool {
        var walk = JSONScanner(JSONBytes(start: start, count: scan.end - start))
        guard walk.enter() else { return false }
        repeat {
            walk.skipSpace()
            guard let other = walk.key()?.text, walk.next < scan.next else { return false }
            if other.utf8.elementsEqual(key.utf8) { return true }
            guard walk.colon(), walk.skipValue() else { return false }
            walk.skipSpace()
        } while walk.consume(UInt8(ascii: ","))
        return false
    }

    /// Puts the records of the message that begins at `start` in the order of their numbers.
    @inline(never)
    private mutating func sort(_ plan: UnsafePointer<JSONPlan>, from start: Int) {
        let bytes = sink.bytes(from: start)
        let sorted = JSONRecords.sorted(bytes, plan, by: .number)
        guard let sorted else { preconditionFailure("what was written is a message") }
        sink.truncate(to: start)
        sorted.withUnsafeBytes { sink.append(long: $0) }
    }

    /// The value of a field; null is that of an absent one.
    @inline(__always)
    private mutating func member(
        _ field: UnsafePointer<JSONField>, _ object: inout JSONObject, _ levels: Int
    ) -> Bool {
        if scan.byte == UInt8(ascii: "n") { return scan.word("null") }
        if field.pointee.oneof != 0 {
            guard object.seen.insert(object.plan.pointee.count &+ field.pointee.oneof) else {
                return refuse("another field of the same oneof is there as well")
            }
        }
        if field.pointee.number < object.last { object.isSorted = false }
        object.last = field.pointee.number
        switch field.pointee.shape {
        case .singular: return singular(field, levels)
        case .packed: return packed(field)
        case .list: return list(field, levels)
        case .map: return map(field, &object, levels)
        }
    }
}
