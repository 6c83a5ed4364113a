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
}

private enum SlotNumbers {
    static let last = Atomic<Int>(0)
}

/// A place for one object that a layer above keeps: on a loop for a method, or with a header block
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

    /// The object for a reader that does not retain it: it lives as long as it stays in the slot.
    @inlinable package func unretained<Value>(_ key: SlotKey<Value>) -> Unmanaged<Value>? {
        guard number == key.number, let object else { return nil }
        // As above.
        return Unmanaged.passUnretained(unsafeDowncast(object, to: Value.self))
    }
}
