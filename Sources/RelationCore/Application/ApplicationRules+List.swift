package import RelationModel
import Storage

extension ApplicationRules {
    // MARK: ListPendencies

    /// A page of a user's waiting applications, newest first.
    package struct Page {
        /// The version of the list: it rises with every change.
        package var sequence: Int64 = 0
        /// The position at which the next page begins; 0 after the last page.
        package var timestampMs: Int64 = 0
        package var unread = 0
        package var items: [Item] = []
    }

    package struct Item {
        package let type: PendencyType
        package let record: PendencyRecord
        package let profile: ProfileRecord
    }

    /// Lists the applications of `user` that wait, by the paging contract of TIM's
    /// `getPendencyList`.
    ///
    /// - Parameter sequence: The version of the list that the caller has. If it is the present one,
    ///   no items are returned.
    /// - Parameter timestampMs: 0 for the first page, then the value that the page before returned.
    package static func list(
        of user: UserID, _ userRecord: UserRecord, at now: Timestamp, app: App,
        knowing sequence: Int64, from timestampMs: Int64, limit: Int, _ type: PendencyType,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Page {
        let partition = app.partition(of: user)
        let cutoff = app.settings.expiryCutoffMs(at: now)
        var page = Page()
        page.sequence = userRecord.pendenciesSequence
        page.unread = try Applications.counts(
            of: userRecord, user, app, cutoff: cutoff, in: transaction
        ).unread
        guard sequence != userRecord.pendenciesSequence else { return page }

        // A page begins below the time that the last one ended with: times are unique.
        let last = timestampMs == 0 ? Int64.max : timestampMs - 1
        let first = cutoff == .min ? cutoff : cutoff + 1
        guard first <= last else { return page }
        let table = Tables.pendenciesByTime
        var rowKeys: [PendencyKey] = []
        var end: Int64 = 0
        var more = false
        // The limits of the app bound both directions together. More applications may wait if the
        // limits were lowered since.
        let rows = Int(userRecord.comeInCount) + Int(userRecord.sendOutCount)
        try table.scan(
            table.rows(of: partition, from: first, through: last), .descending, limit: rows,
            in: transaction
        ) { row, _ in
            guard type == .both || row.key.type == type else { return .more }
            guard rowKeys.count < limit else {
                more = true
                return .stop
            }
            rowKeys.append(row.key)
            end = row.timeMs
            return .more
        }
        page.timestampMs = more ? end : 0
        var keys = KeyList()
        for rowKey in rowKeys { keys.append(Tables.pendencies.key(partition, rowKey)) }
        let records = try present(Tables.pendencies.records(keys, in: transaction))
        let profiles = try profiles(of: rowKeys.map(\.user), app, in: transaction)
        for (rowKey, (record, profile)) in zip(rowKeys, zip(records, profiles)) {
            page.items.append(Item(type: rowKey.type, record: record, profile: profile))
        }
        return page
    }

    // MARK: ListApplications

    /// The applications to list, and their order.
    package struct Query: Equatable {
        /// One side, or ``PendencyType/both``.
        package var type = PendencyType.both
        /// The statuses to list; an empty set means all.
        package var statuses: Set<ApplicationStatus> = []
        package var isAscending = false

        package init() {}

        fileprivate func lists(_ entry: Entry) -> Bool {
            (type == .both || type == entry.position.type)
                && (statuses.isEmpty || statuses.contains(entry.status))
        }
    }

    /// An application's position in a list of all applications.
    ///
    /// It is the time at which the application was made, last repeated or ended, its side, and the
    /// other user.
    package struct Position: Comparable {
        package let timeMs: Int64
        package let type: PendencyType
        package let user: UserID

        package init(timeMs: Int64, type: PendencyType, user: UserID) {
            self.timeMs = timeMs
            self.type = type
            self.user = user
        }

        package static func < (one: Position, other: Position) -> Bool {
            (one.timeMs, one.type.rawValue, one.user)
                < (other.timeMs, other.type.rawValue, other.user)
        }
    }

    /// A line in a list of all applications.
    package struct Line {
        package let position: Position
        package let status: ApplicationStatus
        package let record: PendencyRecord
        package let profile: ProfileRecord
    }

    fileprivate struct Entry {
        let position: Position
        let status: ApplicationStatus
        /// Whether its record is in the history.
        let isHandled: Bool
    }

    /// A part of a user's applications, waiting and ended.
    package struct Lines {
        /// The number of applications that the query lists.
        package var total = 0
        /// The number of them that come after the position, `lines` included.
        package var remaining = 0
        package var lines: [Line] = []
    }

    /// Lists the applications of `user`, those that wait and those in its history.
    ///
    /// An application that has expired is listed as expired from that time on.
    ///
    /// - Parameter position: That of the last line of the page before; nil for the first page.
    package static func lines(
        of user: UserID, _ query: Query, at now: Timestamp, app: App, after position: Position?,
        limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> Lines {
        let partition = app.partition(of: user)
        var entries = try entries(of: user, at: now, app, in: transaction).filter(query.lists)
        entries.sort { query.isAscending ? $0.position < $1.position : $1.position < $0.position }
        var answer = Lines()
        answer.total = entries.count
        if let position {
            entries.removeAll { entry in
                query.isAscending ? entry.position <= position : entry.position >= position
            }
        }
        answer.remaining = entries.count

        let page = entries.prefix(limit)
        var waiting = KeyList()
        var handled = KeyList()
        for entry in page {
            let entryPosition = entry.position
            if entry.isHandled {
                let key = HandledKey(
                    timeMs: entryPosition.timeMs, type: entryPosition.type, status: entry.status,
                    user: entryPosition.user)
                handled.append(Tables.handledApplications.key(partition, key))
            } else {
                waiting.append(
                    Tables.pendencies.key(
                        partition, PendencyKey(entryPosition.type, entryPosition.user)))
            }
        }
        var open = try present(Tables.pendencies.records(waiting, in: transaction)).makeIterator()
        var done = try present(Tables.handledApplications.records(handled, in: transaction))
            .makeIterator()
        let profiles = try profiles(of: page.map(\.position.user), app, in: transaction)
        for (entry, profile) in zip(page, profiles) {
            guard let record = entry.isHandled ? done.next() : open.next() else { break }
            answer.lines.append(
                Line(
                    position: entry.position, status: entry.status, record: record, profile: profile
                ))
        }
        return answer
    }

    /// All applications that `user` may list, in no order.
    private static func entries(
        of user: UserID, at now: Timestamp, _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Entry] {
        let cutoff = app.settings.expiryCutoffMs(at: now)
        let lifetime = app.settings.applicationLifetimeMs ?? 0
        let horizon = ApplicationHistory.horizonMs(at: now)
        var entries: [Entry] = []
        let table = Tables.pendenciesByTime
        try table.scan(table.all(of: app.partition(of: user)), limit: .max, in: transaction) {
            row, _ in
            let isOver = row.timeMs <= cutoff
            let timeMs = isOver ? row.timeMs + lifetime : row.timeMs
            if !isOver || timeMs > horizon {
                let position = Position(timeMs: timeMs, type: row.key.type, user: row.key.user)
                entries.append(
                    Entry(
                        position: position, status: isOver ? .expired : .unhandled, isHandled: false
                    ))
            }
            return .more
        }
        for key in try ApplicationHistory.keys(of: user, at: now, app: app, in: transaction) {
            entries.append(
                Entry(
                    position: Position(timeMs: key.timeMs, type: key.type, user: key.user),
                    status: key.status, isHandled: true))
        }
        return entries
    }

    // MARK: What both read

    private static func present(
        _ records: [PendencyRecord?]
    ) throws(StorageError) -> [PendencyRecord] {
        let present = records.compactMap { $0 }
        guard present.count == records.count else {
            throw StorageError(.corrupted, "an application is indexed and has no row")
        }
        return present
    }

    private static func profiles(
        of users: [UserID], _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [ProfileRecord] {
        var keys = KeyList()
        for user in users {
            keys.append(Tables.profiles.key(app.partition(of: user), OnlyKey()))
        }
        return try Tables.profiles.records(keys, in: transaction).map { $0 ?? ProfileRecord() }
    }
}
