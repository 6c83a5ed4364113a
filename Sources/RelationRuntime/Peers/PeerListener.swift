package import Storage
import Synchronization

/// Waits for the words of other servers of a store, on a thread of its own.
package final class PeerListener: Sendable {
    private let peers: any StorePeers
    private let thread: WorkThread
    private let isStopped = Atomic(false)
    private let body: @Sendable (Set<PeerSignal>) -> Void

    /// - Parameter body: Gets the news; an empty set when words may have been lost.
    package init(
        _ peers: any StorePeers, threads: ThreadSource = .system,
        _ body: @escaping @Sendable (Set<PeerSignal>) -> Void
    ) {
        self.peers = peers
        thread = threads.make("peers")
        self.body = body
    }

    package func start() { next(afterMilliseconds: 0) }

    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        thread.wait()
    }

    private func next(afterMilliseconds pause: Int) {
        let work: WorkThread.Work = { [weak self] in
            guard let self, !self.isStopped.load(ordering: .relaxed) else { return }
            self.listen()
        }
        if pause > 0 {
            thread.run(afterMilliseconds: pause, work)
        } else {
            thread.run(work)
        }
    }

    private func listen() {
        do throws(StorageError) {
            let news = try peers.wait(milliseconds: RuntimeLimits.peerWaitMilliseconds)
            if !news.isEmpty { body(news) }
            next(afterMilliseconds: 0)
        } catch {
            body([])
            next(afterMilliseconds: RuntimeLimits.peerWaitMilliseconds)
        }
    }
}
