import GRPC
import GRPCWire
import Glibc
import Logging

/// How many files and sockets the process may have open, and how they are shared out.
///
/// If none is left, the process cannot accept a connection, which does no harm. But then it cannot
/// open a file of the engine either, and any step that needs a file fails or ends the process. So
/// sockets get no more than the number that all others leave.
struct Descriptors: Equatable {
    /// How many files the process may have open.
    let limit: Int

    /// Files of rows that the engine keeps open.
    let engineFiles: Int

    /// Connections that are kept open.
    let connections: Int

    /// - Parameters:
    /// - limit: How many files the process may have open.
    /// - threads: The number of threads that serve connections.
    /// - Throws: ``FatalError``, which names the number that is needed.
    init(limit: Int, threads: Int, connections: Int = CallLimits.connections) throws {
        let reserve = DescriptorLimits.reserve + threads * DescriptorLimits.perThread
        let least =
            reserve + DescriptorLimits.leastEngineFiles + DescriptorLimits.leastConnections
        guard limit >= least else {
            throw FatalError(
                """
                the process may have \(limit) files open, and needs \(least) at least: raise the \
                hard limit (ulimit -Hn, or LimitNOFILE of systemd)
                """)
        }
        self.limit = limit
        engineFiles = min(
            max(limit / DescriptorLimits.engineShare, DescriptorLimits.leastEngineFiles),
            DescriptorLimits.mostEngineFiles)
        self.connections = min(limit - reserve - engineFiles, connections)
    }

    /// Raises the number of files that the process may have open, as far as the system allows.
    ///
    /// - Returns: How many files it may have open from now on.
    static func raise() -> Int {
        var bounds = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &bounds) == 0 else { return DescriptorLimits.assumed }
        let wanted = min(bounds.rlim_max, rlim_t(DescriptorLimits.most))
        if bounds.rlim_cur < wanted {
            let before = bounds.rlim_cur
            bounds.rlim_cur = wanted
            if setrlimit(kind, &bounds) != 0 { bounds.rlim_cur = before }
        }
        return Int(clamping: bounds.rlim_cur)
    }

    /// - Parameter hasEngine: Whether the process has an engine, which has files of its own.
    func log(to logger: Logger, hasEngine: Bool) {
        let rows = hasEngine ? ", \(engineFiles) files of rows" : ""
        logger.info("\(limit) files may be open: \(connections) of them connections\(rows)")
    }
}
