// Every list that a back end walks, under the name of its items. `pageSize` 0 means that the server
// chooses how many items a call answers; a reader sees no difference.

extension Client {
    // MARK: Friends

    /// The friends of a user.
    ///
    /// ```swift
    /// let friends = client.friends(of: "alice", order: .displayName, withProfiles: true)
    /// for try await friend in friends {
    ///     print(friend.displayName, friend.profile?.nick ?? "")
    /// }
    /// ```
    ///
    /// A friend that is there during the whole reading, and keeps its position in the order, comes
    /// exactly once.
    ///
    /// - Parameters:
    ///   - userID: The user whose friends are listed.
    ///   - order: The order of the list.
    ///   - direction: The direction of the order: ascending if it is not given.
    ///   - displayOrder: How `displayName` is formed.
    ///   - fields: The fields of ``RelationAPI/Friend`` to answer; none means all.
    ///   - withProfiles: Whether each friend comes with the fields of its profile that the user may
    ///     see.
    ///   - profileFields: The fields of the profile to answer; none means all.
    ///   - relation: The relation of the friends that are listed, `.bothWay` or `.myUni`; `.none`
    ///     lists all.
    ///   - mark: The mark of the friends that are listed; `.unspecified` lists all.
    ///   - pageSize: The most friends that one call answers.
    ///   - options: The settings of the call of each page.
    public func friends(
        of userID: String, order: FriendOrder = .unspecified,
        direction: SortDirection = .unspecified, displayOrder: DisplayOrder = .unspecified,
        fields: [String] = [], withProfiles: Bool = false, profileFields: [String] = [],
        relation: FriendRelation = .none, mark: FriendMark = .unspecified,
        pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<Friend> {
        let request = ListFriendsRequest.with {
            $0.userID = userID
            $0.relation = relation
            $0.mark = mark
            $0.pageSize = pageSize
            $0.order = order
            $0.direction = direction
            $0.readMask = mask(fields)
            $0.displayOrder = displayOrder
            $0.withProfiles = withProfiles
            $0.profileMask = mask(profileFields)
        }
        return items(of: FriendMethods.listFriends, request, options: options)
    }

    /// The friends of a user whose names, remarks or ids have a text in them.
    ///
    /// - Parameters:
    ///   - userID: The user whose friends are searched.
    ///   - keyword: The text to look for: 1 to 64 characters.
    ///   - match: Where in a text the keyword is looked for.
    ///   - displayOrder: How `displayName` is formed, which also sorts the result.
    ///   - fields: The fields of ``RelationAPI/Friend`` to answer; none means all.
    ///   - withProfiles: Whether each friend comes with the fields of its profile that the user may
    ///     see.
    ///   - profileFields: The fields of the profile to answer; none means all.
    ///   - pageSize: The most friends that one call answers.
    ///   - options: The settings of the call of each page.
    public func friends(
        of userID: String, matching keyword: String, match: SearchMatch = .unspecified,
        displayOrder: DisplayOrder = .unspecified, fields: [String] = [],
        withProfiles: Bool = false, profileFields: [String] = [], pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<Friend> {
        let request = SearchFriendsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
            $0.keyword = keyword
            $0.searchMatch = match
            $0.displayOrder = displayOrder
            $0.readMask = mask(fields)
            $0.withProfiles = withProfiles
            $0.profileMask = mask(profileFields)
        }
        return items(of: FriendMethods.searchFriends, request, options: options)
    }

    /// The changes of a friend list since a sequence, by pages.
    ///
    /// These are pages, because each of them has friends that changed, friends that are gone, and
    /// `resync`, which says that the copy must be dropped first. Keep the `sequence` of the last
    /// page for the next time.
    ///
    /// - Parameters:
    ///   - userID: The user whose friend list is compared.
    ///   - sequence: The sequence of the copy; 0 for an empty copy.
    ///   - pageSize: The most changes that one call answers.
    ///   - options: The settings of the call of each page.
    public func friendChanges(
        of userID: String, since sequence: Int64, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Pages<SyncFriendsResponse> {
        let request = SyncFriendsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
            $0.sinceSequence = sequence
        }
        return pages(FriendMethods.syncFriends, request, options: options)
    }

    /// The ids of the friends that two users share.
    ///
    /// A loop throws ``RelationAPI/ListRefusal`` if the other user does not exist.
    ///
    /// - Parameters:
    ///   - userID: The acting user.
    ///   - otherUserID: The user whose friend list is compared with that of the acting user.
    ///   - pageSize: The most friends that one call answers.
    ///   - options: The settings of the call of each page.
    public func mutualFriends(
        of userID: String, and otherUserID: String, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<String> {
        let request = ListMutualFriendsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
            $0.otherUserID = otherUserID
        }
        return items(of: FriendMethods.listMutualFriends, request, options: options)
    }

    /// The users that a user may know, because friends of the user know them; the best first.
    ///
    /// Each page is counted again. So a suggestion may be missing, or come twice, if friendships
    /// change during the reading.
    ///
    /// - Parameters:
    ///   - userID: The user that the suggestions are for.
    ///   - pageSize: The most suggestions that one call answers.
    ///   - options: The settings of the call of each page.
    public func suggestedFriends(
        for userID: String, pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<FriendSuggestion> {
        let request = SuggestFriendsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
        }
        return items(of: FriendMethods.suggestFriends, request, options: options)
    }

    /// The users that have a user as a friend without being its friends.
    ///
    /// - Parameters:
    ///   - userID: The user that they have as a friend.
    ///   - withProfiles: Whether each user comes with the fields of its profile that the caller may
    ///     see.
    ///   - profileFields: The fields of the profile to answer; none means all.
    ///   - pageSize: The most users that one call answers.
    ///   - options: The settings of the call of each page.
    public func reverseFriends(
        of userID: String, withProfiles: Bool = false, profileFields: [String] = [],
        pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<ReverseFriend> {
        let request = ListReverseFriendsRequest.with {
            $0.userID = userID
            $0.withProfiles = withProfiles
            $0.profileMask = mask(profileFields)
            $0.pageSize = pageSize
        }
        return items(of: FriendMethods.listReverseFriends, request, options: options)
    }

    /// The users that a user has dismissed as suggestions, in the order of the bytes of their ids.
    ///
    /// - Parameters:
    ///   - userID: The user that has dismissed them.
    ///   - withProfiles: Whether each user comes with the fields of its profile that the caller may
    ///     see.
    ///   - profileFields: The fields of the profile to answer; none means all.
    ///   - pageSize: The most users that one call answers.
    ///   - options: The settings of the call of each page.
    public func dismissedSuggestions(
        of userID: String, withProfiles: Bool = false, profileFields: [String] = [],
        pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<DismissedSuggestion> {
        let request = ListDismissedSuggestionsRequest.with {
            $0.userID = userID
            $0.withProfiles = withProfiles
            $0.profileMask = mask(profileFields)
            $0.pageSize = pageSize
        }
        return items(of: FriendMethods.listDismissedSuggestions, request, options: options)
    }

    /// The users of the whole app that a user finds by a keyword, in the order of FindUsers.
    ///
    /// - Parameters:
    ///   - keyword: The text to look for: 1 to 64 characters, at least one of them visible.
    ///   - userID: The user for whom others are looked for.
    ///   - pageSize: The most users that one call answers.
    ///   - options: The settings of the call of each page.
    public func users(
        matching keyword: String, for userID: String, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<FoundUser> {
        let request = FindUsersRequest.with {
            $0.userID = userID
            $0.keyword = keyword
            $0.pageSize = pageSize
        }
        return items(of: ProfileMethods.findUsers, request, options: options)
    }

    // MARK: Groups

    /// The friend groups of a user, in the order in which they were made, without their members.
    ///
    /// - Parameters:
    ///   - userID: The user whose groups are listed.
    ///   - options: The settings of the call.
    public func friendGroups(
        of userID: String, options: CallOptions = CallOptions()
    ) -> Items<FriendGroup> {
        Items { [self] _ in
            let answer = try await call(
                GroupMethods.getFriendGroups, GetFriendGroupsRequest.with { $0.userID = userID },
                options: options)
            return (answer.results.compactMap(\.group), "")
        }
    }

    /// The ids of the friends in one group of a user, in the order of the bytes of their ids.
    ///
    /// A loop throws ``RelationAPI/ListRefusal`` if the user has no group of that name.
    ///
    /// - Parameters:
    ///   - name: The name of the group.
    ///   - userID: The user whose group it is.
    ///   - pageSize: The most members that one call answers.
    ///   - options: The settings of the call of each page.
    public func members(
        ofGroup name: String, of userID: String, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<String> {
        Items { [self] token in
            let request = GetFriendGroupsRequest.with {
                $0.userID = userID
                $0.pageSize = pageSize
                $0.pageToken = token ?? ""
                $0.names = [name]
                $0.withMembers = true
            }
            let answer = try await call(
                GroupMethods.getFriendGroups, request, options: options)
            guard let result = answer.results.first else { return ([], "") }
            if let refusal = ListRefusal(
                unlessSuccess: result.code, result.reason, result.info)
            {
                throw refusal
            }
            return (result.userIDs, result.nextPageToken)
        }
    }

    // MARK: Applications, blacklist, subscriptions

    /// The applications for friendship to and from a user: those that wait, and those that have
    /// ended.
    ///
    /// ```swift
    /// let waiting = client.applications(of: "alice", type: .comeIn, statuses: [.unhandled])
    /// for try await application in waiting { print(application.userID, application.wording) }
    /// ```
    ///
    /// - Parameters:
    ///   - userID: The user whose applications are listed.
    ///   - type: The side: those that came in, those that were sent, or both.
    ///   - statuses: The states to list, up to 5; none means all.
    ///   - direction: The direction of the order: the latest first if it is not given.
    ///   - pageSize: The most applications that one call answers.
    ///   - options: The settings of the call of each page.
    public func applications(
        of userID: String, type: PendencyType = .unspecified, statuses: [ApplicationStatus] = [],
        direction: SortDirection = .unspecified, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<FriendApplication> {
        let request = ListApplicationsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
            $0.pendencyType = type
            $0.statuses = statuses
            $0.direction = direction
        }
        return items(of: ApplicationMethods.listApplications, request, options: options)
    }

    /// The applications for friendship to and from a user that wait, the latest first.
    ///
    /// - Parameters:
    ///   - userID: The user whose applications are listed.
    ///   - type: The side: those that came in, those that were sent, or both.
    ///   - pageSize: The most applications that one call answers: at most 100.
    ///   - options: The settings of the call of each page.
    public func pendencies(
        of userID: String, type: PendencyType = .unspecified, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<FriendApplication> {
        let request = ListPendenciesRequest.with {
            $0.userID = userID
            $0.numPerPage = pageSize
            $0.pendencyType = type
        }
        return items(of: ApplicationMethods.listPendencies, request, options: options)
    }

    /// The users that a user has on its blacklist.
    ///
    /// - Parameters:
    ///   - userID: The user whose blacklist is listed.
    ///   - pageSize: The most entries that one call answers.
    ///   - options: The settings of the call of each page.
    public func blacklist(
        of userID: String, pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<BlacklistEntry> {
        let request = ListBlacklistRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
        }
        return items(of: BlacklistMethods.listBlacklist, request, options: options)
    }

    /// The users that a user follows, the newest follow first.
    ///
    /// - Parameters:
    ///   - userID: The follower.
    ///   - pageSize: The most entries that one call answers.
    ///   - options: The settings of the call of each page.
    public func following(
        of userID: String, pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<FollowEntry> {
        let request = ListFollowingRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
        }
        return items(of: FollowMethods.listFollowing, request, options: options)
    }

    /// The followers of a user, the newest first.
    ///
    /// - Parameters:
    ///   - userID: The user that is followed.
    ///   - pageSize: The most entries that one call answers.
    ///   - options: The settings of the call of each page.
    public func followers(
        of userID: String, pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<FollowEntry> {
        let request = ListFollowersRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
        }
        return items(of: FollowMethods.listFollowers, request, options: options)
    }

    /// The users that follow a user and are followed by it, the newest of these pairs first.
    ///
    /// - Parameters:
    ///   - userID: The user whose mutual follows are listed.
    ///   - pageSize: The most entries that one call answers.
    ///   - options: The settings of the call of each page.
    public func mutualFollows(
        of userID: String, pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<FollowEntry> {
        let request = ListMutualFollowsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
        }
        return items(of: FollowMethods.listMutualFollows, request, options: options)
    }

    /// The subscriptions of a user.
    ///
    /// - Parameters:
    ///   - userID: The subscriber.
    ///   - type: The thing to subscribe to: presence or profiles; both if it is not given.
    ///   - pageSize: The most subscriptions that one call answers.
    ///   - options: The settings of the call of each page.
    public func subscriptions(
        of userID: String, type: SubscribeType = .unspecified, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<Subscription> {
        let request = ListSubscriptionsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
            $0.subscribeType = type
        }
        return items(of: SubscriptionMethods.listSubscriptions, request, options: options)
    }

    /// The invitations of a user, the latest first.
    ///
    /// - Parameters:
    ///   - userID: The inviter.
    ///   - pageSize: The most invitations that one call answers.
    ///   - options: The settings of the call of each page.
    public func invitations(
        of userID: String, pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<Invitation> {
        let request = ListInvitationsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
        }
        return items(of: InvitationMethods.listInvitations, request, options: options)
    }

    // MARK: Changes

    /// The events of a user's log after a sequence, by pages, the oldest first.
    ///
    /// These are pages, because each of them has `sequence`, to which the reader has come after the
    /// last page, and `resync`, which says that the log does not reach back so far. To be notified
    /// of changes as they happen, use ``changes(_:options:)``.
    ///
    /// - Parameters:
    ///   - userID: The user whose log is listed.
    ///   - sequence: The sequence that the reader has come to; 0 means from the first event.
    ///   - kinds: The kinds of events to list, up to 64; none means all.
    ///   - pageSize: The most events that one call answers.
    ///   - options: The settings of the call of each page.
    public func loggedChanges(
        of userID: String, since sequence: Int64, kinds: [ChangeKind] = [], pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Pages<ListChangesResponse> {
        let request = ListChangesRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
            $0.sinceSequence = sequence
            $0.kinds = kinds
        }
        return pages(ChangeMethods.listChanges, request, options: options)
    }

    // MARK: Client apps

    /// The permissions that a user granted, declined or took back for a client app.
    ///
    /// - Parameters:
    ///   - userID: The user whose permissions are listed.
    ///   - clientAppID: The client app.
    ///   - pageSize: The most permissions that one call answers.
    ///   - options: The settings of the call of each page.
    public func permissions(
        of userID: String, clientAppID: String, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<UserPermission> {
        let request = ListPermissionsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
            $0.clientAppID = clientAppID
        }
        return items(of: ConsentMethods.listPermissions, request, options: options)
    }

    /// The friends of a user that use the same client app.
    ///
    /// The list is empty if the user has not granted it to the client app; the pages of
    /// ``RelationAPI/ConsentMethods/listAppFriends`` say that in `access`.
    ///
    /// - Parameters:
    ///   - userID: The user whose friends are listed.
    ///   - clientAppID: The client app that reads.
    ///   - profileFields: The fields of each friend's profile to answer; none means all that are
    ///     public.
    ///   - pageSize: The most friends that one call answers.
    ///   - options: The settings of the call of each page.
    public func appFriends(
        of userID: String, clientAppID: String, profileFields: [String] = [],
        pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<AppFriend> {
        let request = ListAppFriendsRequest.with {
            $0.userID = userID
            $0.pageSize = pageSize
            $0.clientAppID = clientAppID
            $0.readMask = mask(profileFields)
        }
        return items(of: ConsentMethods.listAppFriends, request, options: options)
    }

    private func mask(_ fields: [String]) -> FieldMask? {
        fields.isEmpty ? nil : FieldMask(fields)
    }
}
