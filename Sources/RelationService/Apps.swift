package import RelationCore
package import RelationModel
package import Storage
import Synchronization

/// The apps of this process with their settings, as the store has them.
///
/// Every call finds its app here and reads nothing from the store for it. The committer's thread
/// alone changes what is here: a write notes what it changed, later writes of the same transaction
/// see it at once, and everybody else when it is committed, before it is answered.
package final class Apps: Sendable {
    private struct State {
        /// In ascending order of the numbers.
        var apps: [App]
        /// What the transaction under way changed.
        var staged: [AppChange] = []
    }

    private let state: Mutex<State>

    package init(_ apps: [App]) {
        state = Mutex(State(apps: apps.sorted { $0.id < $1.id }))
    }

    /// The apps of `store`.
    ///
    /// A store that never had an app gets ``Door/defaultApp``, with the settings of Tencent IM.
    package convenience init(of store: any Store, at now: Timestamp) throws(StorageError) {
        let known = try store.read { (transaction) throws(StorageError) in
            try AppRules.active(in: transaction)
        }
        if let known {
            self.init(known)
            return
        }
        var making = AppRules.Making()
        making.id = Door.defaultApp
        let partitions = [App.registry.partition]
        try store.write(touching: partitions) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: .registry, now: now, origin: Origin(user: nil), transaction: transaction)
            _ = try AppRules.create(making, in: ledger)
            try ledger.close()
        }
        self.init([App(id: Door.defaultApp, settings: .tim)])
    }

    /// The app of that number, as it was last committed.
    package subscript(id: UInt32) -> App? {
        state.withLock { $0.apps.app(id) }
    }

    /// The apps with a higher number, as they were last committed.
    package func all(after id: UInt32) -> ArraySlice<App> {
        state.withLock { state in
            id == UInt32.max ? [] : state.apps[state.apps.place(of: id + 1)...]
        }
    }

    // MARK: On the committer's thread

    /// The app of that number, as the transaction under way sees it.
    func inTransaction(_ id: UInt32) -> App? {
        guard id != App.registry.id else { return .registry }
        return state.withLock { state in
            for change in state.staged.reversed() where change.id == id { return change.app }
            return state.apps.app(id)
        }
    }

    func stage(_ change: AppChange) {
        state.withLock { $0.staged.append(change) }
    }

    /// The transaction is committed.
    func publish() {
        state.withLock { state in
            for change in state.staged { state.apps.apply(change) }
            state.staged = []
        }
    }

    /// The transaction failed, or begins anew.
    func discard() {
        state.withLock { $0.staged = [] }
    }
}

extension [App] {
    /// The place of the first app with this number or a higher one.
    fileprivate func place(of id: UInt32) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate func app(_ id: UInt32) -> App? {
        let place = place(of: id)
        return place < count && self[place].id == id ? self[place] : nil
    }

    fileprivate mutating func apply(_ change: AppChange) {
        let place = place(of: change.id)
        if place < count && self[place].id == change.id { remove(at: place) }
        if let app = change.app { insert(app, at: place) }
    }
}
