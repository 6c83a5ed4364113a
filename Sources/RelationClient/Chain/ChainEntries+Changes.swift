internal import Protobuf
internal import RelationAPI
internal import RelationModel

// The changes that streams tell of, and the writes of the client.
//
// An event and the answer of a write come in either order. Each names the user's sequence: the
// second of the two finds the chain there already, or lets it need that sequence.

extension ChainEntries {
    /// Takes a message of a stream.
    mutating func apply(_ message: WatchResponse, from feed: UInt64, now: Duration) {
        for user in message.missingUserIDs { end(ByteText(user)) }
        if let event = message.event {
            if event.kind == .resync { restart(feed) } else { apply(event) }
        }
        // In the present state tokens are empty.
        guard !message.resumeToken.isEmpty else { return }
        let isLast = message.event.map { $0.kind == .syncCompleted } ?? true
        if isLast { noteMessage(feed, now: now) } else { noteMessageIfLive(feed, now: now) }
    }

    /// Applies an event of a log, or notes that it is missing.
    mutating func apply(_ event: ChangeEvent) {
        let user = ByteText(event.userID)
        switch event.kind {
        case .accountCreated, .accountDeleted:
            for item in event.items { end(ByteText(item.userID)) }
        case .state where event.sequence > 0:
            // A stream that is slow tells an older state than the one that is known.
            requireSequence(user, event.sequence)
        case .state, .syncCompleted, .resync: break
        default:
            guard event.sequence > 0 else { break }
            var isApplied = false
            advance(user, to: event.sequence) { rows in
                isApplied = rows.apply(event)
                return isApplied
            }
            if isApplied { countEvent() }
        }
    }

    /// Takes a write of the client, when its caller is about to have the answer or the error.
    ///
    /// - Parameter answer: The answer; nil if the write failed, so that its outcome is not known.
    mutating func apply(_ write: some Message, _ answer: (any WriteAnswer)?) {
        switch write {
        case let write as DeleteFriendsRequest:
            let deleted = Self.changed(answer as? DeleteFriendsResponse)
            apply(write, answer) { $0.removeFriends(deleted, at: $1) }
            for other in write.userIDs { markStale(ByteText(other)) }
        case let write as RemoveFromBlacklistRequest:
            let removed = Self.changed(answer as? RemoveFromBlacklistResponse)
            apply(write, answer) { $0.unblock(removed, at: $1) }
        case is UpdateFriendsRequest, is CreateFriendGroupsRequest, is DeleteFriendGroupsRequest,
            is RenameFriendGroupRequest, is AddFriendsToGroupRequest,
            is RemoveFriendsFromGroupRequest:
            if let write = write as? any WriteRequest { apply(write, answer) }
        case let write as AddFriendsRequest: apply(write, answer, also: write.items.map(\.userID))
        case let write as RespondToApplicationsRequest:
            apply(write, answer, also: write.items.map(\.userID))
        case let write as AddToBlacklistRequest: apply(write, answer, also: write.userIDs)
        case let write where Self.isApart(write): break
        case let write as DeleteAccountsRequest:
            for user in write.userIDs { end(ByteText(user)) }
            markAllStale()
        case is DecideReviewsRequest: markAllStale()
        case let write as any WriteRequest where type(of: write).actsForUser:
            // The others that it concerns are not named, or not known here.
            apply(write, answer)
            markAllStale()
        default: endAll()
        }
    }

    /// Takes a write of the chain of its own user.
    ///
    /// - Parameters:
    ///   - also: The other users whose chains it may have changed.
    ///   - change: Does to the rows what the write did, if that is known in full.
    private mutating func apply(
        _ write: any WriteRequest, _ answer: (any WriteAnswer)?, also others: [String] = [],
        _ change: ((inout ChainRows, Int64) -> Void)? = nil
    ) {
        for other in others { markStale(ByteText(other)) }
        let user = ByteText(write.userID)
        // Only the server knows the user that an empty id stands for.
        guard !write.userID.isEmpty else { return markAllStale() }
        guard let answer else { return markStale(user) }
        guard let change, answer.applied, !answer.replayed else {
            return requireSequence(user, answer.sequence)
        }
        advance(user, to: answer.sequence) { rows in
            change(&rows, answer.sequence)
            return true
        }
    }

    private static func changed<Request>(
        _ answer: ItemsAnswer<Request, FriendResult>?
    ) -> [String] {
        answer?.results.filter(\.changed).map(\.userID) ?? []
    }

    /// Whether a write changes no friend list and no blacklist.
    private static func isApart(_ write: some Message) -> Bool {
        switch write {
        case is UpdateProfileRequest, is SetVisibilityRequest, is SetStatusRequest,
            is SetContactDigestsRequest, is FindContactsRequest, is SetFindSettingsRequest,
            is DismissSuggestionsRequest, is RestoreSuggestionsRequest, is ReportUserRequest,
            is FollowRequest, is UnfollowRequest, is SubscribeRequest, is UnsubscribeRequest,
            is GrantPermissionsRequest, is DeclinePermissionsRequest,
            is RevokePermissionsRequest, is CreateInvitationRequest, is RevokeInvitationRequest,
            is DeletePendenciesRequest, is ReportPendenciesRequest,
            is WithdrawApplicationsRequest, is ReportPresenceRequest,
            is AcquireConsumerRequest, is AcknowledgeChangesRequest, is DeleteConsumerRequest,
            is SuspendAccountsRequest, is ReinstateAccountsRequest, is ResolveReportsRequest,
            is RevokeUserSessionsRequest:
            true
        default: false
        }
    }
}
