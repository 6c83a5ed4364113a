public import Synchronization

/// The offsets of a field in the struct that libprotobuf-c has for its message.
@usableFromInline struct FieldOffsets {
    @usableFromInline let value: UInt32
    /// The offset of the `has_` flag, the count, or the number of the `oneof`'s case; 0 if there is
    /// none.
    @usableFromInline let quantifier: UInt32
    /// The layout of the message in the field, or of the map's entry.
    @usableFromInline var child: UnsafePointer<Layout>?
}

/// The facts that a codec needs about a message, in C's terms but without C's types.
///
/// Without C's types, the inlinable visitors may name it. There is one for each schema. It is never
/// freed, and it does not change after it is tied to the layouts of the messages in its fields.
@usableFromInline struct Layout {
    /// The `ProtobufCMessageDescriptor`.
    @usableFromInline let descriptor: UnsafeRawPointer
    /// Bytes of the C struct, a multiple of eight.
    @usableFromInline let size: Int
    /// The slots of the fields, in the order of the visit.
    @usableFromInline let slots: UnsafePointer<FieldOffsets>
    let name: StaticString
    /// The rules of the fields, in ascending order of their numbers.
    let rules: UnsafeBufferPointer<FieldRule>
    /// For small field numbers: 1 + the index of the rule, or 0.
    let directory: UnsafeBufferPointer<UInt8>
    let keepsUnknown: Bool
    @usableFromInline let ties: UnsafeMutablePointer<Ties>

    /// Bytes before the first field: C's `ProtobufCMessage`.
    @usableFromInline static let headerSize = 24
    @usableFromInline static let unknownCountOffset = 8
    @usableFromInline static let unknownFieldsOffset = 16

    @inline(__always)
    func rule(_ number: UInt32) -> UnsafePointer<FieldRule>? {
        guard let first = rules.baseAddress else { return nil }
        if number < directory.count {
            let index = directory[Int(number)]
            return index == 0 ? nil : first + Int(index) - 1
        }
        return search(number)
    }

    private func search(_ number: UInt32) -> UnsafePointer<FieldRule>? {
        for index in rules.indices where rules[index].number == number {
            return rules.baseAddress.map { $0 + index }
        }
        return nil
    }
}

/// Ties a layout to those of the messages in its fields.
///
/// This is done at the first use of the layout, for all layouts that it reaches at once, because a
/// message may hold itself. If a schema asked another one for its layout while it is made, it could
/// wait for itself, or for a thread that waits for it.
@usableFromInline struct Ties: ~Copyable {
    struct Tie {
        let child: () -> UnsafePointer<Layout>
        let slot: UnsafeMutablePointer<FieldOffsets>
        let rule: UnsafeMutablePointer<FieldRule>
        /// The address in C's description of the field for the description of its message.
        let descriptor: UnsafeMutablePointer<UnsafeRawPointer?>
    }

    @usableFromInline let areMade: Atomic<Bool>
    let list: [Tie]

    /// No schema asks for this lock while it is made, so code that holds the lock may ask for any
    /// schema.
    static let lock = Mutex(())
}

extension Layout {
    /// The layout, tied; every reader must get a layout here.
    @inlinable @inline(__always)
    static func tied(
        _ layout: UnsafePointer<Layout>
    ) -> UnsafePointer<Layout> {
        if !layout.pointee.ties.pointee.areMade.load(ordering: .acquiring) { tie(layout) }
        return layout
    }

    @usableFromInline static func tie(_ root: UnsafePointer<Layout>) {
        Ties.lock.withLock { _ in
            var met: Set<UnsafePointer<Layout>> = []
            var open = [root]
            while let layout = open.popLast() {
                let ties = layout.pointee.ties
                guard !ties.pointee.areMade.load(ordering: .relaxed),
                    met.insert(layout).inserted
                else { continue }
                for tie in ties.pointee.list {
                    let child = tie.child()
                    tie.slot.pointee.child = child
                    tie.rule.pointee.child = child
                    tie.rule.pointee.recordCharge += child.pointee.size
                    tie.descriptor.pointee = child.pointee.descriptor
                    open.append(child)
                }
            }
            // Not before all of them are tied, because a reader of one follows it to the others.
            for layout in met {
                layout.pointee.ties.pointee.areMade.store(true, ordering: .releasing)
            }
        }
    }
}

/// The facts that the guard needs about a field before libprotobuf-c sees it.
struct FieldRule {
    enum Content: UInt8 {
        case varint, fixed64, fixed32, bytes, text, message
    }

    let number: UInt32
    let name: StaticString
    let content: Content
    /// Whether numbers in one length-counted record are valid too, beside one record for each
    /// number.
    let isPackable: Bool
    /// 1 + the bit of a singular message, which is merged if it comes twice; 0 for other fields.
    let once: UInt8
    /// 1 + the index of the `oneof`; 0 for other fields.
    let oneof: UInt8
    /// The memory that one record takes beside its bytes, in Swift and in C.
    var recordCharge: Int
    var child: UnsafePointer<Layout>?

    @inline(__always) var wireType: UInt32 {
        switch content {
        case .varint: 0
        case .fixed64: 1
        case .bytes, .text, .message: 2
        case .fixed32: 5
        }
    }
}
