import Glibc

/// The number of files and sockets that the process may have open.
enum OpenFiles {
    /// Raises the number, as far as the system allows.
    static func raise(to wanted: Int) {
        var bounds = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &bounds) == 0, bounds.rlim_cur < rlim_t(wanted) else { return }
        bounds.rlim_cur = min(bounds.rlim_max, rlim_t(wanted))
        _ = setrlimit(kind, &bounds)
    }
}
