import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls of MaintenanceService on the history of an app's relations.
enum HistoryHandlers {
    static func register(in router: Router) {
        router.read(MaintenanceMethods.listHistory, list)
        router.write(MaintenanceMethods.undoChanges, undo)
    }

    static func list(
        _ request: ListHistoryRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListHistoryResponse> {
        var query = HistoryLog.Query()
        query.user = user(request.aboutUserID, "about_user_id", &violations)
        query.other = user(request.withUserID, "with_user_id", &violations)
        if request.aboutUserID.isEmpty, !request.withUserID.isEmpty {
            violations.add("with_user_id", "needs about_user_id")
        }
        violations.count(request.kinds.count, "kinds", 0...Limits.changeKinds)
        violations.kinds(request.kinds)
        query.kinds = Set(request.kinds)
        query.actor = user(request.actorUserID, "actor_user_id", &violations)
        violations.length(request.ofRequestID, "of_request_id", atMost: Limits.requestIDBytes)
        query.requestID = request.ofRequestID
        (query.sinceMs, query.untilMs) = window(
            request.sinceTimeMs, request.untilTimeMs, &violations)
        let list =
            "ListHistory \(mark: call.app) \(request.aboutUserID) \(request.withUserID)"
        let rows = Page.rows(request.pageSize, &violations)
        let cursor = PageToken.cursor(request.pageToken, of: list)
        if cursor?.count != 8, !request.pageToken.isEmpty { violations.pageToken() }
        let below = cursor?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0
        return Reading { [query] (transaction) throws(StorageError) in
            let shown = try HistoryLog.page(
                query, below: below, limit: rows, app: call.app, in: transaction)
            var response = ListHistoryResponse()
            for entry in shown.entries {
                response.entries.append(
                    HistoryEntry(entry, try entry.record.rows(in: transaction)))
            }
            if let next = shown.next {
                response.nextPageToken = PageToken.text(next.bytes, of: list)
            }
            let state = try HistoryLog.state(of: call.app, in: transaction)
            response.totalSize = Int32(clamping: state.count)
            response.keptBytes = state.bytes
            return response
        }
    }

    /// The user of a field that may be empty.
    private static func user(
        _ text: String, _ field: String, _ violations: inout Violations
    ) -> UserID? {
        text.isEmpty ? nil : violations.user(text, field)
    }

    /// The bounds of a time, neither of which may be negative.
    private static func window(
        _ since: Int64, _ until: Int64, _ violations: inout Violations
    ) -> (sinceMs: Int64, untilMs: Int64) {
        for (time, field) in [(since, "since_time_ms"), (until, "until_time_ms")] where time < 0 {
            violations.add(field, "is \(time); it must not be negative")
        }
        return (since, until)
    }

    static func undo(
        _ request: UndoChangesRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<UndoChangesResponse> {
        guard request.positions.isEmpty, request.names != nil else {
            return undoPositions(request, call, &violations)
        }
        return undoChosen(request, call, &violations)
    }

    /// Takes back the entries that the server chooses by their calls.
    private static func undoChosen(
        _ request: UndoChangesRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<UndoChangesResponse> {
        var query = HistoryLog.Query()
        violations.length(request.ofRequestID, "of_request_id", atMost: Limits.requestIDBytes)
        query.requestID = request.ofRequestID
        query.actor = user(request.actorUserID, "actor_user_id", &violations)
        query.caller = request.caller == .unspecified ? nil : request.caller
        (query.sinceMs, query.untilMs) = window(
            request.sinceTimeMs, request.untilTimeMs, &violations)
        if request.ofRequestID.isEmpty, request.sinceTimeMs == 0 {
            violations.add("since_time_ms", "is 0; it must be set unless of_request_id is")
        }
        if request.untilTimeMs > 0, request.untilTimeMs <= request.sinceTimeMs {
            violations.add("until_time_ms", "must be later than since_time_ms")
        }
        if request.beforePosition < 0 {
            violations.add(
                "before_position", "is \(request.beforePosition); it must not be negative")
        }
        if !(0...Int32(Limits.undoItems) ~= request.maxEntries) {
            violations.add(
                "max_entries", "is \(request.maxEntries); 0 to \(Limits.undoItems) may be sent")
        }
        violations.known(request.caller, "caller")
        let limit = request.maxEntries == 0 ? Limits.undoItems : Int(request.maxEntries)
        let below = UInt64(max(0, request.beforePosition))
        var work = Work<UndoChangesResponse>(
            .items(
                ItemsWork { [query] (pass, begin, close) throws(StorageError) in
                    let chosen = try HistoryLog.selection(
                        query, below: below, limit: limit, in: pass.ledger)
                    try pass.run(chosen.positions.count, begin) {
                        (index, ledger) throws(StorageError) -> FriendOutcome in
                        try HistoryUndo.undo(chosen.positions[index], in: ledger)
                    } answering: { (outcomes, end) throws(StorageError) in
                        var response = UndoChangesResponse()
                        response.results = zip(chosen.positions, outcomes).map {
                            UndoChangesResult(Int64(clamping: $0), $1)
                        }
                        response.nextBeforePosition = Int64(clamping: chosen.next ?? 0)
                        try close(response, end)
                    }
                }))
        work.cost = limit
        HistoryUndo.keys(of: [], app: call.app, into: &work.keys)
        return work
    }

    /// Takes back the entries that the request names.
    private static func undoPositions(
        _ request: UndoChangesRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<UndoChangesResponse> {
        if let field = request.names {
            violations.add(field, "must be empty if positions are given")
        }
        violations.count(request.positions.count, "positions", 1...Limits.undoItems)
        let positions = request.positions
        // A position that comes twice is taken back twice: an entry between the two may have
        // changed its rows.
        let items = positions.map { position -> ValidatedItem<UInt64, FriendStatus> in
            position > 0
                ? .value(UInt64(position))
                : .refused(Outcome(.invalidParameter, Reason.ChangeUndo.positionIllegal))
        }
        var work = Work<UndoChangesResponse>.each(
            items,
            { (position, ledger) throws(StorageError) in
                try HistoryUndo.undo(position, in: ledger)
            },
            answering: { outcomes in
                UndoChangesResponse.with { response in
                    response.results = zip(positions, outcomes).map(UndoChangesResult.init)
                }
            })
        HistoryUndo.keys(of: items.values(), app: call.app, into: &work.keys)
        return work
    }
}

extension UndoChangesRequest {
    /// The first field that has the server choose entries; nil if none has a value.
    fileprivate var names: String? {
        if !ofRequestID.isEmpty { return "of_request_id" }
        if !actorUserID.isEmpty { return "actor_user_id" }
        if caller != .unspecified { return "caller" }
        if sinceTimeMs != 0 { return "since_time_ms" }
        if untilTimeMs != 0 { return "until_time_ms" }
        if beforePosition != 0 { return "before_position" }
        return maxEntries == 0 ? nil : "max_entries"
    }
}

extension UndoChangesResult: ChangeMessage {
    fileprivate init(_ position: Int64, _ outcome: FriendOutcome) {
        self.init()
        self.position = position
        set(outcome)
    }
}

extension HistoryEntry {
    fileprivate init(_ entry: HistoryLog.Entry, _ rows: [HistoryRow]) {
        self.init()
        position = Int64(clamping: entry.position)
        timeMs = entry.record.timeMs
        caller = entry.record.caller
        actorUserID = entry.record.actorUserID
        deviceID = entry.record.deviceID
        requestID = entry.record.requestID
        credential = entry.record.credential
        address = entry.record.address
        hookAnswer = entry.record.hookAnswer
        changes = rows.map(HistoryChange.init)
    }
}

extension HistoryChange {
    fileprivate init(_ row: HistoryRow) {
        self.init()
        kind = row.kind
        ownerUserID = row.owner.text
        otherUserID = row.other?.text ?? ""
        switch row.content {
        case .friend(let before, let after):
            friendBefore = before.map { Friend(whole: $0) }
            friendAfter = after.map { Friend(whole: $0) }
        case .blacklist(let before, let after):
            blacklistBefore = before.map { BlacklistEntry($0) }
            blacklistAfter = after.map { BlacklistEntry($0) }
        case .application(let type, let before, let after):
            applicationBefore = before.map { FriendApplication(waiting: $0, type) }
            applicationAfter = after.map { FriendApplication(waiting: $0, type) }
        case .follow(let before, let after):
            followBefore = before.map { FollowEntry($0) }
            followAfter = after.map { FollowEntry($0) }
        case .group(let before, let after):
            (groupBefore, groupAfter) = (before ?? "", after ?? "")
        case .profile(let difference):
            profileBefore = Profile(whole: difference.before, of: row.owner)
            profileAfter = Profile(whole: difference.after, of: row.owner)
            profileFields = difference.paths
        }
    }
}

extension FollowEntry {
    fileprivate init(_ record: FollowRecord) {
        self.init()
        (userID, followTimeMs) = (record.userID, record.followTimeMs)
    }
}
