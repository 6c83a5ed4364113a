import Glibc

/// Why a measurement could not be made; what the server answered is never an error but a count.
struct FloodError: Error, CustomStringConvertible {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// A call to the system that failed, named with the reason that `errno` holds.
    init(system call: String) {
        self.init(system: call, code: errno)
    }

    init(system call: String, code: Int32) {
        // `strerror` answers nil for no number that the system gives out.
        message = "\(call): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
    }

    var description: String { message }
}
