public import Protobuf
public import RelationModel

/// A table of codes in which rules answer items.
@usableFromInline package protocol OutcomeCode: OpenEnum {
    static var success: Self { get }

    /// Whether a call that is all or nothing may go on with an item of this code.
    var isAcceptable: Bool { get }

    /// The outcome of an item that a block forbids; nil if blocks do not forbid such items.
    static var block: Outcome<Self>? { get }
}

extension OutcomeCode {
    @inlinable package var isAcceptable: Bool { self == .success }
    @inlinable package static var block: Outcome<Self>? { nil }
}

/// The answer of a rule about one item: a code, a reason that distinguishes the cases that share
/// the code, and whether a row changed.
@usableFromInline package struct Outcome<Code: OutcomeCode>: Equatable, Sendable {
    @usableFromInline package let code: Code
    @usableFromInline package let reason: Reason
    /// Whether the item changed at least one row.
    ///
    /// An account that is made because the item names it does not count: it is not what the item
    /// asks for, and stays even if the item is refused.
    @usableFromInline package let changed: Bool
    /// The answers of the item's own items, if it has any: the members of a new group.
    @usableFromInline package var parts: [Outcome]

    /// A refusal, unless `changed` is true or `code` is success.
    @inlinable package init(
        _ code: Code, _ reason: Reason, changed: Bool = false, parts: [Outcome] = []
    ) {
        self.code = code
        self.reason = reason
        self.changed = changed
        self.parts = parts
    }

    /// The item is done, and changed at least one row.
    @inlinable package static var success: Outcome { Outcome(.success, .none, changed: true) }

    /// The item is done, and every row already was as it asks for.
    @inlinable package static var unchanged: Outcome { Outcome(.success, .none) }

    /// The item is done.
    @inlinable package static func done(changing changed: Bool) -> Outcome {
        Outcome(.success, .none, changed: changed)
    }

    /// Whether a call that is all or nothing may go on: the item is done, or waits for a user's
    /// answer.
    @inlinable package var isAcceptable: Bool {
        code.isAcceptable && parts.allSatisfy(\.isAcceptable)
    }

    /// The same answer for a write that was taken back, or only tried: nothing changed.
    @inlinable package var withoutChange: Outcome {
        Outcome(code, reason, parts: parts.map(\.withoutChange))
    }
}

/// The outcome of an item about subscriptions.
package typealias SubscriptionOutcome = Outcome<SubscriptionStatus>

/// The outcome of an item about permissions.
package typealias PermissionOutcome = Outcome<ProfileStatus>

/// The outcome of an item about follows.
package typealias FollowOutcome = Outcome<FollowStatus>

extension SubscriptionStatus: OutcomeCode {}

extension FollowStatus: OutcomeCode {
    @usableFromInline package static var block: Outcome<FollowStatus>? { .followBlocked }
}

extension Outcome<FollowStatus> {
    /// The other user has the caller on its blacklist.
    package static var followBlocked: FollowOutcome {
        Outcome(.inOtherSideBlacklist, Reason.FollowAdd.inPeerBlacklist)
    }
}

extension ProfileStatus: OutcomeCode {}
