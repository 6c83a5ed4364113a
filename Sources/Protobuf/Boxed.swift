/// A message behind a pointer, for a field whose type is the message that has the field.
///
/// A struct cannot hold itself: `Boxed<Node>?` is the field that a contract calls `Node`. Lists,
/// maps and the cases of an `indirect enum` need no box.
package struct Boxed<M: CodedMessage>: Sendable {
    private final class Box: Sendable {
        let message: M

        init(_ message: M) {
            self.message = message
        }
    }

    private let box: Box

    package init(_ message: M) {
        box = Box(message)
    }

    package var message: M { box.message }
}

extension Boxed: Equatable {
    package static func == (one: Boxed, other: Boxed) -> Bool { one.message == other.message }
}

extension Boxed: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(message) }
}

extension FieldVisitor {
    /// Visits a message in a box.
    ///
    /// An empty field may be filled, and an existing box is only read.
    ///
    /// So a visitor that writes a message changes nothing of it, as encoders promise.
    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Boxed<M>?
    ) {
        var message = value?.message
        field(number, name, &message)
        if value == nil, let message { value = Boxed(message) }
    }
}
