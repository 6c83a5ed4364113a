import Dispatch
import Glibc

/// Writes printed text out at once, even if the output is not a terminal.
func flushOutput() {
    fflush(nil)
}

/// Reads the next line of standard input, on a thread that may wait.
func nextLine() async -> String? {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: readLine()) }
    }
}
