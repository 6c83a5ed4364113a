import Glibc

/// Why a measurement could not be made.
///
/// Answers of the server are never such errors; they are counted.
struct FloodError: Error, CustomStringConvertible {
    let message: String

    init(_ message: String) { self.message = message }

    /// A failed call to the system, with the reason from `errno`.
    init(system call: String) { self.init(system: call, code: errno) }

    init(system call: String, code: Int32) {
        // `strerror` answers nil for no number that the system uses.
        message = "\(call): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
    }

    var description: String { message }
}
