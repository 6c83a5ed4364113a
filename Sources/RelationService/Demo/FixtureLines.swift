/// The lines of a fixture, for errors that name a path or a byte of it.
///
/// An error begins with the path of a field, such as `users[1].friends[0]: `, or with the byte at
/// which the text is not JSON any more.
package struct FixtureLines: Sendable {
    private let bytes: [UInt8]

    package init(_ json: String) {
        bytes = Array(json.utf8)
    }

    /// The line, from 1 on, of the path or the byte with which an error begins; nil if it has none.
    ///
    /// Of a field that is missing it is the line of what lacks it.
    package func line(of words: String) -> Int? {
        let byte = "JSON, byte "
        if words.hasPrefix(byte) {
            return Int(words.dropFirst(byte.count).prefix { $0.isNumber }).map(line(ofByte:))
        }
        let steps = Self.steps(words)
        guard let first = steps.first, first == .name("users") || first == .name("apps") else {
            return nil
        }
        var walk = Walk(bytes: bytes)
        for step in steps where !walk.hasEnded { walk.apply(step) }
        return line(ofByte: walk.found)
    }

    private func line(ofByte offset: Int) -> Int {
        1 + bytes.prefix(max(0, offset)).count { $0 == UInt8(ascii: "\n") }
    }

    private enum Step: Equatable {
        case name(String)
        case index(Int)
    }

    /// `users[1].user_id` as its steps, to the first sign that is none of a path.
    private static func steps(_ words: String) -> [Step] {
        let path = words.prefix { $0.isLetter || $0.isNumber || "_.[]".contains($0) }
        return path.split { ".[]".contains($0) }.map { part in
            Int(part).map(Step.index) ?? .name(key(part))
        }
    }

    /// A key as both forms of JSON have it: `user_id` and `userId` are the same.
    private static func key(_ text: some StringProtocol) -> String {
        text.lowercased().filter { $0 != "_" }
    }

    /// A way from the whole value to a part of it.
    ///
    /// It ends where the text is other than the path.
    private struct Walk {
        let bytes: [UInt8]
        /// Where the last part that was found begins.
        var found = 0
        var hasEnded = false
        private var next = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
            passSpace()
            found = next
        }

        private var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

        mutating func apply(_ step: Step) {
            let start = next
            switch step {
            case .name(let name): hasEnded = !passes("{") || !member(name)
            case .index(let index): hasEnded = !passes("[") || !element(index)
            }
            // The rest of the way leads from where it was.
            if hasEnded { next = start }
        }

        private mutating func member(_ name: String) -> Bool {
            while byte == UInt8(ascii: "\"") {
                let start = next
                passText()
                let key = FixtureLines.key(
                    String(decoding: bytes[start..<next], as: UTF8.self).filter { $0 != "\"" })
                guard passes(":") else { return false }
                if key == name {
                    found = start
                    return true
                }
                passValue()
                guard passes(",") else { return false }
            }
            return false
        }

        private mutating func element(_ index: Int) -> Bool {
            for _ in 0..<index {
                passValue()
                guard passes(",") else { return false }
            }
            guard byte != nil, byte != UInt8(ascii: "]") else { return false }
            found = next
            return true
        }

        /// Passes one sign with the space around it.
        private mutating func passes(_ sign: Unicode.Scalar) -> Bool {
            passSpace()
            guard byte == UInt8(ascii: sign) else { return false }
            next += 1
            passSpace()
            return true
        }

        private mutating func passSpace() {
            while let byte, " \t\r\n".utf8.contains(byte) { next += 1 }
        }

        private mutating func passText() {
            next += 1
            while let byte, byte != UInt8(ascii: "\"") {
                next += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            next = min(next + 1, bytes.count)
        }

        /// Passes a value, to the sign after it.
        private mutating func passValue() {
            var depth = 0
            while let byte {
                switch byte {
                case UInt8(ascii: "\""):
                    passText()
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return }
                    depth -= 1
                case UInt8(ascii: ",") where depth == 0: return
                default: break
                }
                next += 1
            }
        }
    }
}
