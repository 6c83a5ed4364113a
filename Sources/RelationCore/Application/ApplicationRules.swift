package import RelationModel
package import Storage

/// Rules over friend applications.
package enum ApplicationRules {
    /// One answer to an application, as the caller wrote it.
    package struct Answer: Equatable {
        package let applicant: UserID
        package let type: FriendResponseType
        package var remark = ""
        package var group = ""

        package init(to applicant: UserID, _ type: FriendResponseType) {
            self.applicant = applicant
            self.type = type
        }

        private var texts: [String] { [remark, group] }

        package static func == (one: Answer, other: Answer) -> Bool {
            one.applicant == other.applicant && one.type == other.type
                && one.texts.isExactly(other.texts)
        }
    }

    /// Answers the application of `answer.applicant` that waits for `responder`.
    ///
    /// Agreeing puts the responder into the applicant's list; agreeing and adding also the reverse,
    /// with the answer's remark and group. Rejecting only ends the application.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/noApplication``,
    ///   ``FriendStatus/sensitiveText``, ``FriendStatus/selfFriendFull`` if the responder's list
    ///   has no room, ``FriendStatus/theirFriendFull`` if the applicant's has none.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func respond(
        _ answer: Answer, of responder: UserID, in ledger: Ledger
    ) throws(StorageError) -> Outcome {
        let applicant = answer.applicant
        let app = ledger.app
        let transaction = ledger.transaction
        guard try ledger.head(of: applicant) != nil else {
            return Outcome(.accountNotFound, Reason.FriendResponse.accountNotExist)
        }
        let application = try Applications.record(from: applicant, to: responder, in: ledger)
        guard let application else {
            return Outcome(.noApplication, Reason.FriendResponse.pendencyNotExist)
        }
        guard answer.type != .reject else {
            try Applications.end(from: applicant, to: responder, .refused, in: ledger)
            return .success
        }
        guard ![answer.remark, answer.group].contains(where: ledger.settings.forbids) else {
            return Outcome(.sensitiveText, Reason.FriendResponse.sensitiveText)
        }
        let mineMissing =
            answer.type == .agreeAndAdd
            ? try !Friendship.contains(applicant, of: responder, app: app, in: transaction) : false
        let theirsMissing =
            try !Friendship.contains(responder, of: applicant, app: app, in: transaction)
        if mineMissing, try Friendship.isFull(responder, in: ledger) {
            return Outcome(.selfFriendFull, Reason.FriendResponse.selfFriendFull)
        }
        if theirsMissing, try Friendship.isFull(applicant, in: ledger) {
            return Outcome(.theirFriendFull, Reason.FriendResponse.peerFriendFull)
        }

        if theirsMissing {
            let details = try Applications.details(of: application, for: applicant, in: ledger)
            try Friendship.insert(responder, of: applicant, details, in: ledger)
        }
        if mineMissing {
            var details = Friendship.Details()
            details.remark = answer.remark
            details.source = application.source
            details.wording = application.wording
            if !answer.group.isEmpty, try Groups.fit([answer.group], of: responder, in: ledger) {
                details.groups = [answer.group]
            }
            try Friendship.insert(applicant, of: responder, details, in: ledger)
        }
        if answer.type == .agreeAndAdd {
            try Applications.end(from: responder, to: applicant, .accepted, in: ledger)
        }
        try Applications.end(from: applicant, to: responder, .accepted, in: ledger)
        return .success
    }

    /// A page of a user's waiting applications, newest first.
    package struct Page {
        /// The version of the list: it rises with every change.
        package var sequence: Int64 = 0
        /// Where the next page begins; 0 after the last one.
        package var timestampMs: Int64 = 0
        package var unread: UInt32 = 0
        package var items: [Item] = []
    }

    package struct Item {
        package let type: PendencyType
        package let record: PendencyRecord
        package let profile: ProfileRecord
    }

    /// Lists the waiting applications of `user`, by the paging contract of TIM's
    /// `getPendencyList`.
    ///
    /// - Parameter sequence: The version that the caller has; if it is the present one, no items
    ///   are answered.
    /// - Parameter timestampMs: 0 for the first page, then what the page before answered.
    package static func list(
        of user: UserID, _ head: HeadRecord, app: App, knowing sequence: Int64,
        from timestampMs: Int64, limit: Int, _ type: PendencyType,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Page {
        var page = Page()
        page.sequence = head.pendenciesSequence
        page.unread = head.unreadCount
        guard sequence != head.pendenciesSequence else { return page }

        let partition = app.partition(of: user)
        let table = Tables.pendenciesByTime
        // A page begins below the time that the last one ended with: times are unique.
        let bound = timestampMs == 0 ? Int64.max : timestampMs
        let range = table.rows(
            of: partition,
            before: TimedPendency(timeMs: bound, place: PendencyPlace(.unspecified, user)))
        var places: [PendencyPlace] = []
        var last: Int64 = 0
        var more = false
        // The limits of the app bound both directions together; what waits may be more, if they
        // were lowered since.
        let rows = Int(head.comeInCount) + Int(head.sendOutCount)
        try table.scan(range, .descending, limit: rows, in: transaction) { row, _ in
            guard type == .both || row.place.type == type else { return .more }
            guard places.count < limit else {
                more = true
                return .stop
            }
            places.append(row.place)
            last = row.timeMs
            return .more
        }
        page.timestampMs = more ? last : 0
        page.items = try items(at: places, of: partition, app: app, in: transaction)
        return page
    }

    private static func items(
        at places: [PendencyPlace], of partition: Partition, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Item] {
        var pendencies = KeyList()
        var profiles = KeyList()
        for place in places {
            pendencies.append(Tables.pendencies.key(partition, place))
            profiles.append(Tables.profiles.key(app.partition(of: place.user), OnlyPlace()))
        }
        let records = try Tables.pendencies.records(pendencies, in: transaction)
        let others = try Tables.profiles.records(profiles, in: transaction)
        var items: [Item] = []
        for (index, place) in places.enumerated() {
            guard let record = records[index] else {
                throw StorageError(.corrupted, "an application is indexed and has no row")
            }
            items.append(
                Item(type: place.type, record: record, profile: others[index] ?? ProfileRecord()))
        }
        return items
    }
}
