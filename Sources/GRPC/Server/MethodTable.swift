import HTTP2
import Protobuf

/// A method in the table, with its path as bytes.
final class MethodEntry: Sendable {
    let path: [UInt8]
    let name: String
    /// The index of the method among those of the server.
    let index: Int
    let body: ServedMethod.Body
    let admission: ServedMethod.Admission?

    /// See ``ServedMethod/maxRequestBytes``.
    let maxRequestBytes: Int

    let isForUnauthenticated: Bool

    /// See ``ServedMethod/forms``.
    let forms: MessageForms?

    /// See ``ServedMethod/isSafe``.
    let isSafe: Bool

    /// See ``ServedMethod/plain(below:atMost:refusal:_:)``.
    let refusal: PlainRefusal?

    /// Whether the client sends exactly one message.
    let takesOneMessage: Bool

    /// Whether the server sends exactly one message.
    let answersOneMessage: Bool

    /// Whether a call ends when the server has done its work, so that its length says something.
    let isTimed: Bool

    /// Whether it is for all paths below its own.
    var isRoot: Bool { path.last == UInt8(ascii: "/") }

    init(_ method: ServedMethod, _ index: Int) {
        self.index = index
        path = Array(method.path.utf8)
        name = method.path
        body = method.body
        admission = method.admission
        maxRequestBytes = method.maxRequestBytes
        isForUnauthenticated = method.isForUnauthenticated
        forms = method.forms
        isSafe = method.isSafe
        refusal = method.refusal
        takesOneMessage = method.shape == .unary || method.shape == .serverStreaming
        answersOneMessage = method.shape == .unary || method.shape == .clientStreaming
        isTimed = method.shape == .unary
    }
}

/// The methods of a server, found by the bytes of their path.
///
/// A `Dictionary` of `String` would cost more than everything else in a short call: a string is
/// made of the bytes, hashed with a keyed function and compared by Unicode's rules. The names in
/// this table are ours, so no client can choose names that collide.
final class MethodTable: Sendable {
    private let slots: [MethodEntry?]
    private let mask: Int
    let count: Int
    /// The paths of the methods, by their index.
    let entries: [MethodEntry]
    /// The methods for all paths that begin with theirs, each with those for single paths below
    /// it; few.
    private let plain: [(root: MethodEntry, single: [MethodEntry])]

    init(_ dispatchers: [any Dispatcher]) {
        let entries = dispatchers.flatMap(\.methods).enumerated().map { MethodEntry($1, $0) }
        count = entries.count
        self.entries = entries
        let bare = entries.filter { $0.refusal != nil }
        plain = bare.filter { $0.isRoot }.map { root in
            (root, bare.filter { !$0.isRoot && $0.path.starts(with: root.path) })
        }
        var size = 16
        while size < entries.count * 4 { size *= 2 }
        var slots = [MethodEntry?](repeating: nil, count: size)
        for entry in entries where entry.refusal == nil {
            var slot = entry.path.withUnsafeBytes(Self.hash) & (size - 1)
            while let other = slots[slot] {
                precondition(other.path != entry.path, "\(entry.name) is served twice")
                slot = (slot + 1) & (size - 1)
            }
            slots[slot] = entry
        }
        self.slots = slots
        mask = size - 1
    }

    func find(_ path: UnsafeRawBufferPointer) -> MethodEntry? {
        var slot = Self.hash(path) & mask
        // Three of four slots are empty, so that the search ends.
        while let entry = slots[slot] {
            if entry.path.withUnsafeBytes({ $0.isEqual(to: path) }) { return entry }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// The method for all paths that begin with its own, if `target` is one of them; the one for
    /// that very path, if there is one.
    func findPlain(_ target: UnsafeRawBufferPointer) -> MethodEntry? {
        guard let (root, single) = plain.first(where: { target.starts(with: $0.root.path) })
        else { return nil }
        let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let path = UnsafeRawBufferPointer(rebasing: target[..<end])
        return single.first { $0.path.withUnsafeBytes { $0.isEqual(to: path) } } ?? root
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hash = UInt64(bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        while offset < bytes.count {
            hash = mix(hash, UInt64(bytes[offset]))
            offset += 1
        }
        return Int(truncatingIfNeeded: hash >> 1)
    }

    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 29
    }
}
