/// A message behind a pointer, for a field whose type is the message that has the field.
///
/// A struct cannot hold itself: `Boxed<Node>?` is the field that a contract calls `Node`. Lists,
/// maps and the cases of an `indirect enum` need no box.
public struct Boxed<M: Message>: Sendable {
    private final class Box: Sendable {
        let message: M

        init(_ message: M) {
            self.message = message
        }
    }

    private let box: Box

    public init(_ message: M) {
        box = Box(message)
    }

    public var message: M { box.message }
}

extension Boxed: Equatable where M: Equatable {
    public static func == (one: Boxed, other: Boxed) -> Bool { one.message == other.message }
}

extension Boxed: Hashable where M: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(message) }
}

extension FieldVisitor {
    /// Visits a message in a box.
    ///
    /// An empty field may be filled, and an existing box is only read.
    ///
    /// So a visitor that writes a message changes nothing of it, as encoders promise.
    public mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout Boxed<M>?
    ) {
        var message = value?.message
        field(number, name, &message)
        if value == nil, let message { value = Boxed(message) }
    }
}
