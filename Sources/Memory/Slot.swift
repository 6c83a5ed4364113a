import Synchronization

/// The key under which a layer above keeps an object of one type in a ``Slot``.
///
/// It is made once, when the server is set up.
@usableFromInline package struct SlotKey<Value: AnyObject>: Sendable {
    /// The number of this key alone; 0 is that of no key.
    @usableFromInline let number: Int

    package init() {
        number = SlotNumbers.last.add(1, ordering: .relaxed).newValue
    }

    /// A key that the compiler makes, so that reading a global one checks no lock: 1 is that of the
    /// requests of header blocks.
    @inlinable package init(fixed number: Int) {
        self.number = number
    }
}

private enum SlotNumbers {
    /// The numbers up to this one are those of fixed keys.
    static let last = Atomic<Int>(16)
}

/// A slot for one object that a layer above keeps: on a loop for a method, or with a header block
/// that is cached.
///
/// An object that was put there under one key is not found under another one.
@usableFromInline package struct Slot {
    /// The number of the key under which the object was put here.
    @usableFromInline var number = 0
    @usableFromInline var object: AnyObject?

    package init() {}

    @inlinable package subscript<Value>(key: SlotKey<Value>) -> Value? {
        get {
            guard number == key.number, let object else { return nil }
            // No two keys share a number, and a key puts only objects of its type here.
            return unsafeDowncast(object, to: Value.self)
        }
        set { (number, object) = (key.number, newValue) }
    }

    /// The slot for a reader that does not retain the object.
    @inlinable package var unretained: UnretainedSlot {
        UnretainedSlot(number: number, object: object.map(Unmanaged.passUnretained))
    }
}

/// A slot as it was read, without its object being retained.
///
/// The object lives as long as it stays in the slot.
@usableFromInline package struct UnretainedSlot {
    @usableFromInline let number: Int
    // The slot that was read retains the object.
    @usableFromInline let object: Unmanaged<AnyObject>?

    // The caller reads a slot that retains the object.
    @usableFromInline init(number: Int, object: Unmanaged<AnyObject>?) {
        (self.number, self.object) = (number, object)
    }

    // `Unmanaged`: the object is not retained, because the slot that was read retains it.
    @inlinable package subscript<Value>(key: SlotKey<Value>) -> Unmanaged<Value>? {
        guard number == key.number, let object else { return nil }
        // A key puts only objects of its type into a slot.
        return Unmanaged.fromOpaque(object.toOpaque())
    }
}
