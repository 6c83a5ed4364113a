package import Memory
package import Protobuf
package import RelationAPI
import RelationCalls
package import RelationCore
package import RelationModel

/// The calls of ChangeService.
package enum ChangeHandlers {
    package static func register(in router: Router) {
        router.watch(ChangeMethods.watchView)
        router.read(ChangeMethods.listChangesView, list)
        router.read(ChangeMethods.getSequence, getSequence)
        router.read(ChangeMethods.explainEvent, explainEvent)
        ConsumerHandlers.register(in: router)
    }

    static func list(
        _ request: ListChangesRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListChangesResponseView> {
        if request.sinceSequence < 0 { violations.add("since_sequence", "is negative") }
        violations.count(request.kinds.count, "kinds", 0...Limits.changeKinds)
        violations.kinds(request.kinds)
        let size = Page.rows(request.pageSize, &violations, atMost: Limits.maxChanges)
        let kinds = Set(request.kinds.map(\.rawValue))
        let query =
            "ListChanges \(mark: call.app) \(call.user) \(request.sinceSequence)"
            + kinds.sorted().map { " \($0)" }.joined()
        var since = request.sinceSequence
        if !request.pageToken.isEmpty {
            if let sequence = ChangeToken.sequence(request.pageToken, of: query) {
                since = sequence
            } else {
                violations.add(
                    "page_token", "is not a token of these changes since this sequence",
                    reason: .invalidPageToken)
            }
        }
        let view = ChangeView(isAdmin: call.isAdmin, call.app.settings)
        return reading(call) { [since] (userRecord, transaction) throws(StorageError) in
            var response = ListChangesResponseView()
            response.sequence = userRecord.sequence
            guard ChangeLog.reachesBack(to: since, userRecord) else {
                response.resync = true
                return response
            }
            var page = ChangePage(rows: size, kinds: kinds, after: since, call.arena)
            try ChangeLog.scan(
                of: call.user, after: since, limit: Limits.changesLookedAt, app: call.app,
                in: transaction
            ) { sequence, bytes in page.add(bytes, sequence) }
            guard !page.beginsWithTooLong else {
                response.resync = true
                return response
            }
            response.events = try page.events(of: call.user, seenBy: view)
            if page.last < userRecord.sequence {
                response.nextPageToken = ChangeToken.text(page.last, of: query)
            }
            return response
        }
    }

    static func getSequence(
        _ request: GetSequenceRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetSequenceResponse> {
        reading(call) { (userRecord, _) throws(StorageError) in
            var response = GetSequenceResponse()
            response.sequence = userRecord.sequence
            response.friendsSequence = userRecord.friendsSequence
            response.pendenciesSequence = userRecord.pendenciesSequence
            response.blacklistSequence = userRecord.blacklistSequence
            response.groupsSequence = userRecord.groupsSequence
            response.subscriptionsSequence = userRecord.subscriptionsSequence
            response.invitationsSequence = userRecord.invitationsSequence
            response.dismissalsSequence = userRecord.dismissalsSequence
            response.reverseFriendsSequence = userRecord.reverseFriendsSequence
            response.consentsSequence = userRecord.consentsSequence
            response.followingSequence = userRecord.followingSequence
            response.followersSequence = userRecord.followersSequence
            response.firstSequence = userRecord.logFloor + 1
            return response
        }
    }
}

extension Violations {
    /// Checks that the request names only known kinds of events.
    mutating func kinds(_ kinds: [ChangeKind]) {
        for (index, kind) in kinds.prefix(Limits.changeKinds).enumerated() {
            if kind == .unspecified {
                add("kinds[\(index)]", "must be given")
            } else {
                known(kind, "kinds[\(index)]")
            }
        }
    }
}

/// The events of one page, as they are stored, until its rows or its bytes are full.
private struct ChangePage {
    private let rows: Int
    private let kinds: Set<Int32>
    private let arena: Arena
    private var found: [(sequence: Int64, bytes: UnsafeRawBufferPointer)] = []
    private var bytes = 0
    private var isOutOfMemory = false
    private var isTooLong = false
    /// The sequence of the last event that was looked at: the next page begins after it.
    private(set) var last: Int64

    init(rows: Int, kinds: Set<Int32>, after sequence: Int64, _ arena: Arena) {
        self.rows = rows
        self.kinds = kinds
        self.arena = arena
        last = sequence
    }

    /// Whether the next event is too long for a message, because an older version wrote it.
    var beginsWithTooLong: Bool { found.isEmpty && isTooLong }

    /// Takes an event of a wanted kind, or ends the page before it.
    ///
    /// An event that is larger than a page still fits into an empty page.
    mutating func add(_ event: UnsafeRawBufferPointer, _ sequence: Int64) -> ScanStep {
        if kinds.isEmpty || kinds.contains(ChangeKind(storedEvent: event).rawValue) {
            guard found.isEmpty || found.count < rows && bytes + event.count <= Limits.pageBytes
            else { return .enough }
            guard event.count <= Limits.messageBytes else {
                isTooLong = true
                return .enough
            }
            guard let copy = arena.copy(event) else {
                isOutOfMemory = true
                return .enough
            }
            found.append((sequence, copy))
            bytes += event.count
        }
        last = sequence
        return .next
    }

    /// The events as the answer sends them.
    func events(
        of user: UserID, seenBy view: ChangeView
    ) throws(StorageError) -> [Encoded<ChangeEvent>] {
        var events: [Encoded<ChangeEvent>] = []
        events.reserveCapacity(found.count)
        guard !isOutOfMemory else {
            throw StorageError.unanswerable("a page does not fit into the memory of its call")
        }
        for (sequence, bytes) in found {
            events.append(try view.event(bytes, of: user, at: sequence, arena))
        }
        return events
    }
}

extension ChangeView {
    /// Returns a stored event as the answer sends it: its bytes, followed by the fields of its key.
    ///
    /// An event is decoded only if the view hides a part of it.
    ///
    /// - Parameter bytes: The stored event; they must outlive the returned event.
    package func event(
        _ bytes: UnsafeRawBufferPointer, of user: UserID, at sequence: Int64, _ arena: Arena
    ) throws(StorageError) -> Encoded<ChangeEvent> {
        var key = ChangeEvent()
        key.userID = user.text
        key.sequence = sequence
        do throws(CodecError) {
            let end = try Coder(ChangeEvent.self).bytes(key, arena)
            let kind = ChangeKind(storedEvent: bytes)
            if passes(kind) {
                return try arena.joined(
                    Encoded(borrowing: try shown(bytes, kind, arena)), end)
            }
            let coder = Coder(ChangeRecord.self)
            let seen = masked(try coder.read(bytes, arena))
            return try arena.encoded(try coder.bytes(seen, arena) + end)
        } catch  where error.code == .outOfMemory {
            throw StorageError.unanswerable("an event does not fit into the memory of its call")
        } catch {
            throw StorageError.damaged("an event does not decode: \(error)")
        }
    }
}

/// The position after which a page of events begins, as a text that the caller sends back.
private enum ChangeToken {
    static func text(_ sequence: Int64, of query: String) -> String {
        var cursor: [UInt8] = []
        cursor.append(bigEndian: UInt64(bitPattern: sequence))
        return PageToken.text(cursor, of: query)
    }

    static func sequence(_ text: String, of query: String) -> Int64? {
        guard let cursor = PageToken.cursor(text, of: query), cursor.count == 8 else { return nil }
        return Int64(bitPattern: cursor.reduce(0) { $0 << 8 | UInt64($1) })
    }
}
