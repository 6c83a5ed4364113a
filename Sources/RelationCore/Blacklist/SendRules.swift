package import RelationModel
package import Storage

/// Rules that say which users may send messages to which: a message server asks them before it
/// delivers.
package enum SendRules {
    /// Whether `sender` may send to each of `receivers`.
    ///
    /// A user may always send to itself. It may also send to a user that it has blacklisted: a
    /// blacklist keeps others away from its owner, and not the owner from others.
    ///
    /// - Returns: For each receiver ``SendStatus/success``, or the first of these that applies:
    ///   ``SendStatus/accountNotFound``, ``SendStatus/inPeerBlacklist``, and if the app requires a
    ///   friendship ``SendStatus/notFriend``, ``SendStatus/notPeerFriend``,
    ///   ``SendStatus/notSelfFriend``.
    package static func check(
        from sender: UserID, to receivers: [UserID], app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [(SendStatus, Reason)] {
        let checksFriendship = app.settings.checksFriendshipOnSend
        let everybodyExists = app.settings.makesAccountsImplicitly
        let mine = sender.text.utf8
        var keys = KeyList()
        keys.reserve(receivers.count * (checksFriendship ? 4 : 2))
        for receiver in receivers {
            let theirs = receiver.text.utf8
            Tables.heads.add(app.id, theirs, OnlyKey(), to: &keys)
            Tables.blacklist.add(app.id, theirs, sender, to: &keys)
            if checksFriendship {
                Tables.friends.add(app.id, mine, receiver, to: &keys)
                Tables.friends.add(app.id, theirs, sender, to: &keys)
            }
        }
        let found = try keys.found(in: transaction)
        return receivers.enumerated().map { number, receiver in
            let row = number * (checksFriendship ? 4 : 2)
            guard everybodyExists || found[row] else {
                return (.accountNotFound, Reason.SendCheck.accountNotExist)
            }
            guard !found[row + 1] else {
                return (.inPeerBlacklist, Reason.SendCheck.inPeerBlacklist)
            }
            guard checksFriendship, receiver != sender else { return (.success, .none) }
            switch (found[row + 2], found[row + 3]) {
            case (true, true): return (.success, .none)
            case (false, false): return (.notFriend, Reason.SendCheck.notFriend)
            case (true, false): return (.notPeerFriend, Reason.SendCheck.notPeerFriend)
            case (false, true): return (.notSelfFriend, Reason.SendCheck.notSelfFriend)
            }
        }
    }
}
