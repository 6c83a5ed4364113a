import Memory
import Protobuf
package import RelationAPI
package import RelationCore
package import RelationModel
import Storage

/// Some events of an app after a position, in the order of its feed, as an administrator sees them.
package struct FeedPage: Sendable {
    /// An event of the page.
    package struct Event: Sendable {
        package let user: UserID
        package let position: Int64
        package let kind: ChangeKind
        package let timeMs: Int64
        /// The event as its row has it, with what an administrator sees.
        package let record: ChangeRecord
        /// The contract's `ChangeEvent`; empty if it was not asked for.
        package let json: String
        /// The event as a message; nil if it was not asked for.
        package var change: ChangeEvent?
        /// The caller, as far as the feed names it.
        package var caller = FeedCaller()
    }

    /// The events that are wanted, but not those of positions that have none.
    package var events: [Event] = []
    /// The page has all that is wanted up to this position.
    package var reached: Int64
    /// The position up to which events are gone, if the page's begin is before it.
    package var trimmedTo: Int64?

    package init(reached: Int64) {
        self.reached = reached
    }

    /// Reads the events after `position`: about ``WatchLimits/rowsPerBatch``, or fewer if they are
    /// long.
    ///
    /// - Parameters:
    ///   - kinds: The kinds that are wanted; empty for all.
    ///   - usersOnly: Whether only events that have an acting user are wanted.
    ///   - asJSON: Whether the events have their JSON.
    ///   - asMessages: Whether the events have their messages.
    package static func read(
        _ app: App, after position: Int64, kinds: Set<ChangeKind>, usersOnly: Bool, asJSON: Bool,
        asMessages: Bool = false, in transaction: any ReadTransaction
    ) throws(StorageError) -> FeedPage {
        let feed = try Feed.state(of: app, in: transaction)
        var page = FeedPage(reached: position)
        guard feed.position > position else { return page }
        guard var missed = MissedEvents(of: feed, since: position) else {
            page.trimmedTo = feed.trimmedTo
            return page
        }
        let stored = try missed.next(WatchLimits.rowsPerBatch, app: app, in: transaction)
        page.reached = missed.reached ?? feed.position
        let view = ChangeView(isAdmin: true, app.settings)
        let arena = transaction.arena
        do throws(CodecError) {
            for event in stored where kinds.isEmpty || kinds.contains(event.kind) {
                let mark = arena.mark()
                defer { arena.rewind(to: mark) }
                let record = view.masked(try event.record(arena))
                if usersOnly, record.actorUserID.isEmpty { continue }
                page.events.append(
                    Event(
                        user: event.user, position: event.position, kind: event.kind,
                        timeMs: record.timeMs, record: record,
                        json: asJSON ? try json(of: event, view, arena) : "",
                        change: asMessages ? try message(of: event, view, arena) : nil,
                        caller: missed.callers[event.position] ?? FeedCaller()))
            }
        } catch {
            throw StorageError(.corrupted, "an event of app \(app.id) does not decode: \(error)")
        }
        return page
    }

    private static func message(
        of event: StoredEvent, _ view: ChangeView, _ arena: Arena
    ) throws(CodecError) -> ChangeEvent {
        try Coder(ChangeEvent.self).message(event.bytes(view, arena), arena)
    }

    private static func json(
        of event: StoredEvent, _ view: ChangeView, _ arena: Arena
    ) throws(CodecError) -> String {
        try message(of: event, view, arena).json(arena)
    }
}
