import Glibc
import Synchronization

/// The names of the process's threads, which tools of the system and `/metrics` show.
package enum ThreadName {
    /// For each name, the kind of threads that it belongs to.
    private static let kinds = Mutex<[String: String]>([:])

    /// The beginnings of the names that a library gives its threads, each with their kind.
    private static let beginnings = Mutex<[String: String]>([:])

    /// The bytes of a name that the system keeps.
    private static let bytes = 15

    /// Names the calling thread.
    ///
    /// - Parameters:
    ///   - name: The name; the system keeps its first 15 bytes.
    ///   - kind: The label under which `/metrics` counts the thread: one of a few words, so that no
    ///     name makes a time series of its own. Nil for the name itself.
    package static func set(_ name: String, kind: String? = nil) {
        register(name, kind: kind ?? name)
        guard let file = fopen("/proc/thread-self/comm", "we") else { return }
        fputs(name, file)
        fclose(file)
    }

    /// Notes the kind of the threads that have a name.
    package static func register(_ name: String, kind: String) {
        let kept = String(decoding: name.utf8.prefix(bytes), as: UTF8.self)
        kinds.withLock { $0[kept] = kind }
    }

    /// Notes the kind of the threads whose names a library makes, and begins with `prefix`.
    package static func register(prefix: String, kind: String) {
        beginnings.withLock { $0[prefix] = kind }
    }

    /// The kind of the threads that the system knows by `name`; nil if it was not registered.
    package static func kind(of name: String) -> String? {
        kinds.withLock { $0[name] }
            ?? beginnings.withLock { $0.first { name.hasPrefix($0.key) }?.value }
    }
}
