internal import CPostgres
internal import Glibc
internal import Storage
internal import Synchronization

extension PostgresDatabase {
    /// A connection to the primary, outside the pipeline mode, and the primary's number.
    ///
    /// It tries the addresses one after another, and begins with the one that was right last. With
    /// `comparing` it asks all of them: an old primary may have woken up that does not know of the
    /// new one.
    ///
    /// - Throws: ``StorageError`` with the code `unavailable` if the database is not there,
    ///   `foreign` if it has no table of this program, `lostData` if it has gone back to an earlier
    ///   state.
    func connect(
        for use: Primary.Use, comparing: Bool = false, withinMilliseconds left: Int = .max
    ) throws(StorageError) -> (raw: OpaquePointer, number: UInt64) {
        try seen.check()
        let targets = DatabaseServer.all(in: options.address)
        let first = primary.index.load(ordering: .relaxed)
        let seconds = min(options.connectSeconds, max(2, left / 1_000))
        var candidates: [(index: Int, raw: OpaquePointer, identity: Primary.Identity)] = []
        defer { for candidate in candidates { PQfinish(candidate.raw) } }
        var errors: [StorageError] = []
        for step in targets.indices {
            let index = (first + step) % targets.count
            do throws(StorageError) {
                let raw = try DatabaseConnection.connect(
                    options, to: targets[index], seconds: seconds)
                candidates.append((index, raw, .none))
                candidates[candidates.count - 1].identity = try prepareSession(raw)
                guard !comparing else { continue }
                let number = try admit(candidates[candidates.count - 1], for: use)
                candidates.removeLast()
                return (raw, number)
            } catch {
                errors.append(error)
                if let failed = candidates.last, failed.index == index {
                    PQfinish(failed.raw)
                    candidates.removeLast()
                }
            }
        }
        candidates.sort { $0.identity.timeline > $1.identity.timeline }
        for (index, candidate) in candidates.enumerated() {
            do throws(StorageError) {
                let number = try admit(candidate, for: use)
                candidates.remove(at: index)
                return (candidate.raw, number)
            } catch {
                errors.append(error)
            }
        }
        throw Self.oneError(of: errors)
    }

    private static func oneError(of errors: [StorageError]) -> StorageError {
        let clear = errors.first { $0.code != .unavailable }
        if let clear { return clear }
        return StorageError(
            .unavailable, errors.map(\.message).joined(separator: "; or at another address: "))
    }

    /// Makes a session's settings that name this process and find a dead one, and asks with whom it
    /// speaks.
    private func prepareSession(_ raw: OpaquePointer) throws(StorageError) -> Primary.Identity {
        let patience = LeaseLimits.reliedMilliseconds
        let found = try PostgresSession.run(
            "\(SessionSettings.sql(on: raw, patience)); \(SessionName.sql(seen.id)); "
                + "\(DeadPeers.sql(on: raw)); SELECT \(Primary.Identity.sql)",
            on: raw, patience, options.shutdown)
        guard let identity = found.first.flatMap({ Primary.Identity($0) }) else {
            throw StorageError(.unavailable, "the database does not say which server it is")
        }
        return identity
    }

    private func admit(
        _ candidate: (index: Int, raw: OpaquePointer, identity: Primary.Identity),
        for use: Primary.Use
    ) throws(StorageError) -> UInt64 {
        // An old primary lacks what was written since. That does not say that the new one does.
        let number = try primary.admit(
            candidate.identity, for: use, seen.number == nil ? nil : lease)
        try seen.check(candidate.raw, LeaseLimits.reliedMilliseconds, options.shutdown)
        primary.index.store(candidate.index, ordering: .relaxed)
        return number
    }
}

extension Primary.Identity {
    /// That of a server that was not asked yet.
    fileprivate static let none = Primary.Identity(system: "", timeline: 0, started: "")
}

/// The words of an address that lead to one server.
///
/// libpq tries the servers of an address in their order, and takes the first one that takes writes.
/// That may be an old primary.
package struct DatabaseServer: Equatable, Sendable {
    /// They replace the same words of the address.
    package var words: [String: String] = [:]

    /// One for each server that the address names.
    package static func all(in address: String) -> [DatabaseServer] {
        guard let options = PQconninfoParse(address, nil) else { return [DatabaseServer()] }
        defer { PQconninfoFree(options) }
        var lists: [String: [String]] = [:]
        var option = options
        // The list ends with an entry without a name.
        while let name = option.pointee.keyword {
            let name = String(cString: name)
            if ["host", "hostaddr", "port"].contains(name), let value = option.pointee.val {
                lists[name] = String(cString: value).split(
                    separator: ",", omittingEmptySubsequences: false
                ).map(String.init)
            }
            option += 1
        }
        let count = max(lists["host"]?.count ?? 0, lists["hostaddr"]?.count ?? 0)
        guard count > 1 else { return [DatabaseServer()] }
        let fits = lists.values.allSatisfy { $0.count == count || $0.count == 1 }
        // libpq says what is wrong with it.
        guard fits else { return [DatabaseServer()] }
        return (0..<count).map { index in
            DatabaseServer(words: lists.mapValues { $0.count == 1 ? $0[0] : $0[index] })
        }
    }
}

/// The name of a session in the database's list, which ends with the name of its process.
enum SessionName {
    /// The end of a name.
    static let pattern = "[0-9a-f]{16}$"

    static func sql(_ id: String) -> String {
        """
        SELECT set_config('application_name', \
        left(regexp_replace(current_setting('application_name'), ' \(pattern)', ''), 40) \
        || ' \(id)', false)
        """
    }
}

/// The settings by which the database finds out that the other end of a session is gone.
///
/// Without them it keeps the session of a machine that lost its power for two hours, with its locks
/// and its view.
enum DeadPeers {
    static func sql(on raw: OpaquePointer) -> String {
        var settings = [
            ("tcp_keepalives_idle", Limits.keepaliveIdleSeconds),
            ("tcp_keepalives_interval", Limits.keepaliveIntervalSeconds),
            ("tcp_keepalives_count", Limits.keepaliveCount),
            ("tcp_user_timeout", Limits.unacknowledgedMilliseconds),
        ]
        if PQserverVersion(raw) >= 140_000 {
            settings.append(("client_connection_check_interval", Limits.peerCheckMilliseconds))
        }
        return settings.map { "SET \($0.0) = \($0.1)" }.joined(separator: "; ")
    }
}
