package import HTTP2
package import Memory

/// Names and values that are sent beside the messages of a call, in order, with repetitions.
///
/// A name ends in `-bin` if its value is bytes, and only then.
package struct Metadata: Sendable, Equatable, ExpressibleByArrayLiteral {
    package enum Value: Sendable, Equatable {
        case text(String)
        case binary([UInt8])
    }

    package private(set) var entries: [(name: String, value: Value)] = []

    package init() {}

    package init(arrayLiteral elements: (String, Value)...) {
        for (name, value) in elements { entries.append((name, value)) }
    }

    package var isEmpty: Bool { entries.isEmpty }

    package mutating func append(_ name: String, _ value: String) {
        entries.append((name, .text(value)))
    }

    package mutating func append(_ name: String, _ value: [UInt8]) {
        entries.append((name, .binary(value)))
    }

    /// The first text value of `name`.
    package func text(_ name: String) -> String? {
        for entry in entries where entry.name == name {
            if case .text(let text) = entry.value { return text }
        }
        return nil
    }

    /// The first binary value of `name`.
    package func binary(_ name: String) -> [UInt8]? {
        for entry in entries where entry.name == name {
            if case .binary(let bytes) = entry.value { return bytes }
        }
        return nil
    }

    package static func == (one: Metadata, other: Metadata) -> Bool {
        one.entries.elementsEqual(other.entries) { $0.name == $1.name && $0.value == $1.value }
    }

    /// The reason why this metadata cannot be sent, or nil if it can.
    package var problem: String? {
        for (name, value) in entries {
            let bytes = Array(name.utf8)
            guard !bytes.contains(where: { (0x41...0x5A).contains($0) }) else {
                return
                    "the metadata name \"\(name)\" has a capital letter: it must be in lower case"
            }
            guard !bytes.isEmpty, bytes.allSatisfy(Self.isNameByte) else {
                return "the metadata name \"\(name)\" has characters other than a-z 0-9 _ . -"
            }
            guard !Self.isReserved(bytes) else { return "the metadata name \(name) is reserved" }
            switch value {
            case .binary:
                guard name.hasSuffix("-bin") else {
                    return "the metadata name \(name) must end in -bin, because its value is bytes"
                }
            case .text(let text):
                guard !name.hasSuffix("-bin") else {
                    return "the metadata name \(name) ends in -bin, but its value is text"
                }
                guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 <= 0x7E }) else {
                    return "the value of the metadata \(name) is not printable ASCII"
                }
            }
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Names that belong to HTTP or to gRPC itself.
    private static func isReserved(_ name: [UInt8]) -> Bool {
        name.withUnsafeBytes { isReserved($0) }
    }

    package static func isReserved(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let first = name.first else { return true }
        switch first {
        case UInt8(ascii: ":"): return true
        case UInt8(ascii: "g"):
            // Services send this one, and it means something to clients only.
            return name.hasPrefix("grpc-") && !name.isEqual(to: "grpc-retry-pushback-ms")
        case UInt8(ascii: "c"):
            return name.isEqual(to: "content-type") || name.isEqual(to: "connection")
        case UInt8(ascii: "t"):
            return name.isEqual(to: "te") || name.isEqual(to: "transfer-encoding")
                || name.isEqual(to: "trailer")
        case UInt8(ascii: "h"): return name.isEqual(to: "host")
        case UInt8(ascii: "k"): return name.isEqual(to: "keep-alive")
        case UInt8(ascii: "p"): return name.isEqual(to: "proxy-connection")
        case UInt8(ascii: "u"): return name.isEqual(to: "upgrade")
        default: return false
        }
    }
}

// MARK: - From and to header blocks

extension Metadata {
    /// The metadata among the fields of a block; fields of HTTP and of gRPC itself are left out.
    package init(_ block: HeaderBlock) {
        var fields = block.makeIterator()
        while let field = fields.next() {
            guard !Self.isReserved(field.name) else { continue }
            let name = String(decoding: field.name, as: UTF8.self)
            if Self.isBinary(field.name) {
                for value in Self.binaryValues(field.value) ?? [] { append(name, value) }
            } else {
                append(name, Self.text(field.value))
            }
        }
    }

    /// Adds every entry to a block that is to be sent.
    package func write(to block: inout HeaderBlock) {
        for (name, value) in entries {
            switch value {
            case .text(let text):
                block.append(name, text)
            case .binary(let bytes):
                var digits: [UInt8] = []
                Base64.encode(bytes, into: &digits)
                var name = name
                name.withUTF8 { name in
                    digits.withUnsafeBytes {
                        block.append(UnsafeRawBufferPointer(name), $0, transient: true)
                    }
                }
            }
        }
    }

    package static func isBinary(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.count >= 4 else { return false }
        return UnsafeRawBufferPointer(rebasing: name[(name.count - 4)...]).isEqual(to: "-bin")
    }

    /// The values in a `-bin` field, which may be a list with commas; nil if one of them is not
    /// base64.
    package static func binaryValues(_ value: UnsafeRawBufferPointer) -> [[UInt8]]? {
        var values: [[UInt8]] = []
        for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let digits = UnsafeRawBufferPointer(rebasing: trimmed(part))
            guard let bytes = Base64.decode(digits, .metadata) else { return nil }
            values.append(bytes)
        }
        return values
    }

    /// The text in a field's value, without the spaces around it.
    package static func text(_ value: UnsafeRawBufferPointer) -> String {
        String(decoding: trimmed(value[...]), as: UTF8.self)
    }

    /// A field's value without the spaces around it.
    package static func trimmed(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: trimmed(value[...]))
    }

    package static func trimmed(
        _ value: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer> {
        var value = value
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        return value
    }
}

extension Base64.Spelling {
    /// gRPC's binary metadata: written without padding, read with or without padding.
    package static let metadata = Base64.Spelling(
        lastDigits: "+/", needsPadding: false, allowsLooseBits: true)
}
