internal import CPostgres
internal import Glibc

/// Why a database lets this program in never, and not only at present: a start need not wait.
///
/// libpq gives the code of a refusal only in its longest messages, and takes the wish for them only
/// while it connects. So one more attempt is made to learn it.
package enum ConnectionRefusal {
    /// The words of the refusal; nil if the database is not there, or is there.
    package static func words(_ options: PostgresOptions) -> String? {
        DatabaseConnection.withWords(of: options) { keys, values in
            guard let raw = PQconnectStartParams(keys, values, 1) else { return nil }
            defer { PQfinish(raw) }
            PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
            guard finish(raw, milliseconds: options.connectSeconds * 1_000) else { return nil }
            let text = PQerrorMessage(raw).map { String(cString: $0) } ?? ""
            let failure = failure(in: text)
            if let failure, failure.state.hasPrefix("28") {
                let hint =
                    PQconnectionUsedPassword(raw) == 1
                    ? "" : "; no password was given, by a variable or by PGPASSFILE"
                return "it refuses the user or the password: \(failure.words)\(hint)"
            }
            if let failure, lasting.contains(failure.state) { return failure.words }
            return PQconnectionNeedsPassword(raw) == 1
                ? "it asks for a password, and none was given, by a variable or by PGPASSFILE" : nil
        }
    }

    /// Codes of refusals that only a person ends: no such database, or no right to connect to it.
    private static let lasting: Set = ["3D000", "42501"]

    /// Goes on with a connection until it is made, or has failed.
    ///
    /// - Returns: Whether it has failed.
    private static func finish(_ raw: OpaquePointer, milliseconds: Int) -> Bool {
        let end = DatabaseConnection.milliseconds() + milliseconds
        var state = PGRES_POLLING_WRITING
        while PQstatus(raw) != CONNECTION_BAD {
            let wanted = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            var socket = pollfd(fd: PQsocket(raw), events: Int16(wanted), revents: 0)
            let left = end - DatabaseConnection.milliseconds()
            guard left > 0 else { return false }
            if poll(&socket, 1, Int32(clamping: left)) < 0, errno != EINTR { return false }
            guard socket.revents != 0 else { continue }
            state = PQconnectPoll(raw)
            if state == PGRES_POLLING_OK { return false }
            if state == PGRES_POLLING_FAILED { return true }
        }
        return true
    }

    /// The last failure in a long message: `FATAL:  28P01: password …`, in any language.
    static func failure(in message: String) -> (state: String, words: String)? {
        var found: (state: String, words: String)?
        for line in message.split(separator: "\n") {
            guard let blanks = line.firstRange(of: ":  ") else { continue }
            let rest = line[blanks.upperBound...]
            let state = rest.prefix(5)
            guard state.utf8.count == 5, rest.dropFirst(5).hasPrefix(": "),
                state.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
            else { continue }
            found = (String(state), String(rest.dropFirst(7)))
        }
        return found
    }
}
