import RelationModel

/// How far a write in the name of a user comes before its rule is asked.
enum Admission {
    /// The caller is not an account: the call as a whole is refused.
    case isUnknown
    /// A suspension of the caller forbids the call as a whole.
    case isSuspended
    /// The id of the peer is malformed.
    case isMalformed
    /// The rule is asked about the peer.
    case goesOn(UserID)
}

/// How far a write in the name of a user comes before its rule is asked, if it names no other user.
enum OwnAdmission {
    /// The caller is not an account: the call as a whole is refused.
    case isUnknown
    /// A suspension of the caller forbids the call as a whole.
    case isSuspended
    /// The rule is asked.
    case goesOn
}

extension RungRecorder {
    /// Notes the rungs about the caller alone.
    ///
    /// - Parameter makesAccount: Whether the call makes the account of a caller that has none.
    mutating func admits(
        _ caller: UserID, to action: SuspendedAction, isAdmin: Bool,
        making makesAccount: Bool = false, in ledger: Ledger
    ) throws(StorageError) -> OwnAdmission {
        let isKnown = makesAccount ? true : try Accounts.ensureExists(caller, in: ledger)
        guard passes(.ownAccount, isKnown) else {
            return .isUnknown
        }
        let level = try Suspensions.level(
            forbidding: action, by: caller, isAdmin: isAdmin, in: ledger)
        return passes(.ownSuspension, level == nil) ? .goesOn : .isSuspended
    }

    /// Notes the rungs that stand before the rule of a write.
    ///
    /// - Parameters:
    ///   - peer: Nil for a malformed id.
    ///   - asksHook: Whether a hook is asked before the rule.
    mutating func admits(
        _ caller: UserID, to action: SuspendedAction, _ peer: UserID?, isAdmin: Bool,
        asking asksHook: Bool, in ledger: Ledger
    ) throws(StorageError) -> Admission {
        switch try admits(caller, to: action, isAdmin: isAdmin, in: ledger) {
        case .isUnknown: return .isUnknown
        case .isSuspended: return .isSuspended
        case .goesOn: break
        }
        guard passes(.peerID, peer != nil), let peer else { return .isMalformed }
        if asksHook { _ = records(.hook, true) }
        return .goesOn(peer)
    }
}
