import Dispatch
import Glibc
import Logging
import RelationAdmission
import RelationRuntime
import Synchronization

/// The socket in the data folder, by which its owner makes and ends keys of operators while the
/// server runs.
///
/// A thread of its own answers one connection after another. Each has a short time, so that none
/// keeps the next one waiting for long.
final class OwnerSocket: Sendable {
    private let path: String
    private let listener: Int32
    private let logger: Logger
    private let answer: @Sendable (OwnerRequest) -> OwnerAnswer
    private let isStopped = Atomic(false)
    private let thread = WorkThread("owner")

    /// Begins to answer.
    ///
    /// - Parameter answer: Does what is asked; the thread of the socket waits for it.
    init(
        in path: String, _ logger: Logger,
        _ answer: @escaping @Sendable (OwnerRequest) -> OwnerAnswer
    ) throws(OwnerChannel.ChannelError) {
        self.path = path
        self.logger = logger
        self.answer = answer
        listener = try OwnerSocketPath(path).listen()
        thread.run { [self] in serve() }
    }

    /// The socket in the folder of a server that runs.
    ///
    /// It is nil if the rows are in a database, which `relationd init` reaches by itself. It is nil
    /// too if the file system has no sockets, with a line in the log.
    static func begin(
        in settings: Configuration, _ logger: Logger,
        _ answer: @escaping @Sendable (OwnerRequest) -> OwnerAnswer
    ) -> OwnerSocket? {
        guard case .folder(let path) = settings.store else { return nil }
        do throws(OwnerChannel.ChannelError) {
            return try OwnerSocket(in: path, logger, answer)
        } catch {
            logger.warning(
                """
                relationd init cannot reach this server, and needs a stop of it: \(path): \
                \(error.message)
                """)
            return nil
        }
    }

    /// Answers the request under way, takes no other, and removes the socket.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        // This wakes the thread.
        shutdown(listener, Int32(SHUT_RDWR))
        thread.wait()
        close(listener)
        do throws(OwnerChannel.ChannelError) {
            try OwnerSocketPath(path).remove()
        } catch {
            logger.warning("\(path)/\(OwnerSocketPath.file): \(error.message)")
        }
    }

    private func serve() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if isStopped.load(ordering: .relaxed) { return }
                // Of these only the lack of descriptors may last for a while.
                if errno != EINTR, errno != ECONNABORTED { usleep(OwnerLimits.pauseMicroseconds) }
                continue
            }
            defer { close(descriptor) }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            do throws(OwnerChannel.ChannelError) {
                try serve(OwnerChannel(descriptor, milliseconds: OwnerLimits.serverMilliseconds))
            } catch {
                logger.notice("the owner's socket: \(error.message)")
            }
        }
    }

    private func serve(_ channel: OwnerChannel) throws(OwnerChannel.ChannelError) {
        // The mode of the socket says the same; this holds if someone changed it.
        guard let user = channel.peer, user == geteuid() || user == 0 else {
            let user = channel.peer.map { "\($0)" } ?? "unknown"
            logger.warning("the owner's socket: the user \(user) was refused")
            return try channel.send(
                OwnerAnswer(
                    refusal: "only root, and the user who runs the server, may ask for this"))
        }
        let request = try channel.receive(OwnerRequest.self)
        let answer = answer(request)
        if answer.refusal.isEmpty { log(request, answer, user) }
        try channel.send(answer)
    }

    /// Keys that are made and ended beside the calls leave a line.
    private func log(_ request: OwnerRequest, _ answer: OwnerAnswer, _ user: uid_t) {
        // A key is its app, its id, and its secret.
        let parts = answer.key.split(separator: ".")
        let id = parts.count > 1 ? String(parts[1]) : request.keyID
        let action =
            switch OwnerRequest.Action(rawValue: request.action) {
            case .first, .add: "made"
            case .end: "ended"
            case .replace: "made in place of all others"
            case .list, nil: ""
            }
        guard !action.isEmpty else { return }
        logger.notice("the user \(user) \(action) the operator's key \(id)")
    }
}
