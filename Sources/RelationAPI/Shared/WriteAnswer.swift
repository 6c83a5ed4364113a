public import Protobuf

/// The answer to a write.
public protocol WriteAnswer: Message {
    /// How the write went: ``sequence``, ``applied``, ``replayed`` and ``effects`` as one
    /// value.
    var write: WriteOutcome { get set }
}

extension WriteAnswer {
    /// The acting user's sequence after the write; 0 if the call acts for no user.
    @inlinable public var sequence: Int64 {
        get { write.sequence }
        set { write.sequence = newValue }
    }

    /// Whether at least one row changed; `changed` of the results says which items did it.
    @inlinable public var applied: Bool {
        get { write.applied }
        set { write.applied = newValue }
    }

    /// Whether this is the answer of an earlier request with the same `request_id`.
    @inlinable public var replayed: Bool {
        get { write.replayed }
        set { write.replayed = newValue }
    }

    /// The rows and events that the write would make: only in a dry run whose options ask for them,
    /// and only for an administrator or an operator.
    @inlinable public var effects: WriteEffects? {
        get { write.effects }
        set { write.effects = newValue }
    }
}
