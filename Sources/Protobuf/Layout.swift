public import Synchronization

/// Where libprotobuf-c keeps a field in the struct of its message.
@usableFromInline struct Slot {
    @usableFromInline let value: UInt32
    /// Of the `has_` flag, the count, or the number of the `oneof`'s case; 0 if there is none.
    @usableFromInline let quantifier: UInt32
    /// Of the message in the field, or of the map's entry.
    @usableFromInline var child: UnsafePointer<Layout>?
}

/// What a codec must know of a message, in C's terms but without C's types.
///
/// So the inlinable visitors may name it. One for each schema, never freed, and immutable once
/// it is tied to the layouts of the messages in its fields.
@usableFromInline struct Layout {
    /// The `ProtobufCMessageDescriptor`.
    @usableFromInline let descriptor: UnsafeRawPointer
    /// Bytes of the C struct, a multiple of eight.
    @usableFromInline let size: Int
    /// In the order of the visit.
    @usableFromInline let slots: UnsafePointer<Slot>
    let name: StaticString
    /// In ascending order of the numbers.
    let rules: UnsafeBufferPointer<FieldRule>
    /// For small numbers: 1 + the index of the rule, or 0.
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

/// What ties a layout to those of the messages in its fields.
///
/// It is done at the layout's first use and for all that it reaches at once, because a message may
/// hold itself: a schema that asked another one for its layout while it is made could wait for
/// itself, or for a thread that waits for it.
@usableFromInline struct Ties: ~Copyable {
    struct Tie {
        let child: () -> UnsafePointer<Layout>
        let slot: UnsafeMutablePointer<Slot>
        let rule: UnsafeMutablePointer<FieldRule>
        /// Where C's description of the field has that of its message.
        let descriptor: UnsafeMutablePointer<UnsafeRawPointer?>
    }

    @usableFromInline let areMade: Atomic<Bool>
    let list: [Tie]

    /// No schema is made that asks for this lock, so whoever holds it may ask for any.
    static let lock = Mutex(())
}

extension Layout {
    /// The layout, tied: the only way to one for whoever reads it.
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
            // Not before all are: who sees one follows it to the others.
            for layout in met {
                layout.pointee.ties.pointee.areMade.store(true, ordering: .releasing)
            }
        }
    }
}

/// What the guard must know of a field before libprotobuf-c sees it.
struct FieldRule {
    enum Content: UInt8 {
        case varint, fixed64, fixed32, bytes, text, message
    }

    let number: UInt32
    let name: StaticString
    let content: Content
    /// Numbers in one length-counted record are as good as one record each.
    let isPackable: Bool
    /// 1 + the bit of a singular message, which merges when it comes twice; 0 for other fields.
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
