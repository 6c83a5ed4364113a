import Logging
import RelationAdmission
import RelationCore
import RelationRuntime
import Storage
import Synchronization

/// One database of a fleet beside home, which this server opens, and opens again after a failure.
///
/// Its thread alone waits for the database.
final class FleetMember: Sendable {
    /// Makes the part of the server for a database, with its lease and its work begun.
    ///
    /// The history is that of a store which has gone back to an earlier state: until another one
    /// has begun there, it is not served.
    typealias Make = @Sendable (DirectoryDatabase, _ lost: History?) throws -> StoreService

    private struct State {
        var service: StoreService?
        /// Why it is not open.
        var failure: String? = "it is being opened"
        /// The history of the store when it was found to have gone back.
        var lost: History?
        /// The part that served it until then, which is about to end.
        var ending: StoreService?
        var isCounting = false
        var rows: Int64 = 0
        var isClosed = false
    }

    let database: DirectoryDatabase
    private let thread = WorkThread("database")
    private let state = Mutex(State())
    private let make: Make
    private let count: @Sendable (DirectoryDatabase) throws(StorageError) -> Int64
    private let logger: Logger

    init(
        _ database: DirectoryDatabase, _ logger: Logger, _ make: @escaping Make,
        rows count: @escaping @Sendable (DirectoryDatabase) throws(StorageError) -> Int64
    ) {
        self.database = database
        self.logger = logger
        self.make = make
        self.count = count
    }

    /// The part of the server that serves it; nil while it could not be opened.
    var service: StoreService? { state.withLock { $0.service } }

    /// The rows that the database has, by its estimate.
    var rows: Int64 { state.withLock { $0.rows } }

    /// Why its apps are not served; nil if they are.
    var trouble: String? {
        let (service, failure) = state.withLock { ($0.service, $0.failure) }
        return service.map { $0.trouble } ?? failure
    }

    /// Opens it in the background.
    func open() {
        thread.run { [weak self] in self?.tryToOpen() }
    }

    private func tryToOpen() {
        guard !state.withLock({ $0.isClosed }) else { return }
        do {
            let service = try make(database, state.withLock { $0.lost })
            let isClosed = state.withLock { state in
                guard !state.isClosed else { return true }
                (state.service, state.failure, state.lost) = (service, nil, nil)
                return false
            }
            guard !isClosed else { return end(service) }
            logger.notice("the database is served")
            let isCounting = state.withLock { state in
                defer { state.isCounting = true }
                return state.isCounting
            }
            if !isCounting { estimate() }
        } catch {
            let words = (error as? StorageError)?.message ?? "\(error)"
            let isNews = state.withLock { state in
                defer { state.failure = words }
                return state.failure != words
            }
            if isNews { logger.error("the database cannot be opened: \(words)") }
            thread.run(afterMilliseconds: FleetLimits.openAgainMilliseconds) { [weak self] in
                self?.tryToOpen()
            }
        }
    }

    /// Opens it anew if it has gone back to an earlier state: its calls and streams end, its lease
    /// is given back, and it is served again when another history has begun.
    func reopenIfLost() {
        let isLost = state.withLock { state in
            guard !state.isClosed, let service = state.service, service.hasLostData else {
                return false
            }
            (state.failure, state.service) = (service.trouble ?? Self.gone, nil)
            (state.ending, state.lost) = (service, service.apps.registry.settings.history)
            return true
        }
        guard isLost else { return }
        // By then its streams have ended: each looks for that once a second.
        thread.run(afterMilliseconds: FleetLimits.openAgainMilliseconds) { [weak self] in
            self?.endLost()
            self?.tryToOpen()
        }
    }

    private func endLost() {
        let lost = state.withLock { state in
            defer { state.ending = nil }
            return state.ending
        }
        guard let lost else { return }
        lost.willStop()
        end(lost)
    }

    private static let gone = "it has gone back to an earlier state"

    private func estimate() {
        if let rows = try? count(database) { state.withLock { $0.rows = rows } }
        thread.run(afterMilliseconds: FleetLimits.countMilliseconds) { [weak self] in
            guard let self, !self.state.withLock({ $0.isClosed }) else { return }
            self.estimate()
        }
    }

    private func end(_ service: StoreService) {
        service.stop()
        service.store.close()
    }

    /// Begins no more work; what runs goes on.
    func willStop() {
        state.withLock { $0.isClosed = true }
        service?.willStop()
    }

    /// Gives back all that it has, in the background; ``wait()`` waits for it.
    func stop() {
        willStop()
        thread.run { [self] in
            endLost()
            let service = state.withLock { state in
                defer { (state.service, state.failure) = (nil, "it is not served any more") }
                return state.service
            }
            if let service { end(service) }
        }
    }

    func wait() { thread.wait() }
}
