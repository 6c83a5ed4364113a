import Dispatch
import Glibc

/// Brings what was printed out at once, also where the output is no terminal.
func flushOutput() {
    fflush(nil)
}

/// The next line of standard input, read on a thread that may wait.
func nextLine() async -> String? {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: readLine()) }
    }
}
