package import HTTP2

extension Session {
    /// All that the session has to send now.
    package func output() throws(SessionError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try nextOutput() { bytes += chunk }
        return bytes
    }

    /// Feeds bytes that a test made.
    package func receive(_ bytes: [UInt8]) throws(SessionError) {
        // A closure of the standard library would lose the error's type.
        var failure: SessionError?
        bytes.withUnsafeBytes { bytes in
            do throws(SessionError) { try receive(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// The streams that have events now, with their events.
    package func allReady() -> [(stream: StreamPointer, events: StreamEvents)] {
        var all: [(stream: StreamPointer, events: StreamEvents)] = []
        while let next = nextReady() { all.append(next) }
        return all
    }
}

extension HeaderBlock {
    /// The fields as text, to be compared.
    package var pairs: [[String]] {
        var pairs: [[String]] = []
        var fields = makeIterator()
        while let field = fields.next() {
            pairs.append([
                String(decoding: field.name, as: UTF8.self),
                String(decoding: field.value, as: UTF8.self),
            ])
        }
        return pairs
    }

    /// The value of a field as text.
    package func text(_ name: StaticString) -> String? {
        value(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A block of `fields`; the caller frees it.
    package init(_ fields: [(String, String)]) {
        self.init()
        for (name, value) in fields { append(name, value) }
    }
}
