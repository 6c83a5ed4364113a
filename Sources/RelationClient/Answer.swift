public import Protobuf

/// An answer and the memory that its views point into.
///
/// Some messages hold ``Text`` and ``Encoded`` values, which are views: they are valid while the
/// answer that they came from is alive. `String(text)` makes a copy to keep.
@dynamicMemberLookup
public final class Answer<M: Message>: Sendable {
    public let message: M
    /// It is freed with the answer, after every view into it.
    private let arena: Arena

    init(_ bytes: [UInt8], _ coder: Coder<M>) throws(CodecError) {
        let arena = Arena()
        do throws(CodecError) {
            message = try coder.message(bytes, arena)
        } catch {
            arena.free()
            throw error
        }
        self.arena = arena
    }

    deinit {
        arena.free()
    }

    public subscript<Value>(dynamicMember path: KeyPath<M, Value>) -> Value {
        message[keyPath: path]
    }

    /// One row of a page.
    public func decode<Row: Message>(_ row: Encoded<Row>) throws -> Row {
        try row.decoded(arena)
    }

    /// The whole answer as JSON.
    public func json() throws -> String {
        try message.json(arena)
    }
}
