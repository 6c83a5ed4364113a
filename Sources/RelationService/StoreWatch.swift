import Dispatch
package import Storage
import Synchronization

/// Asks the store now and then whether it can still keep what is written, and tells once if not.
///
/// A store without callers hears of nothing by itself: its folder may be gone for hours before the
/// next write fails.
package final class StoreWatch: Sendable {
    private let store: any Store
    private let onFault: @Sendable (StorageError) -> Void
    private let queue = DispatchQueue(label: "relation.store", qos: .utility)
    private let isOver = Mutex(false)

    /// - Parameter onFault: What the service does about it; called once, on the watch's thread.
    package init(_ store: any Store, onFault: @escaping @Sendable (StorageError) -> Void) {
        self.store = store
        self.onFault = onFault
    }

    package func start() {
        let wait = DispatchTimeInterval.milliseconds(ServiceLimits.millisecondsBetweenStoreLooks)
        queue.asyncAfter(deadline: .now() + wait) { [weak self] in
            guard let self else { return }
            self.look()
            if !self.isOver.withLock({ $0 }) { self.start() }
        }
    }

    /// Asks now.
    package func look() {
        guard !isOver.withLock({ $0 }), let fault = store.fault() else { return }
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { onFault(fault) }
    }

    /// Asks no more; the store may be closed after it.
    package func stop() {
        isOver.withLock { $0 = true }
        queue.sync {}
    }
}
