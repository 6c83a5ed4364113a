internal import Glibc

/// The three descriptors that a program takes for its input, its output and its errors.
package enum StandardStreams {
    /// Opens those of them with which the process was started closed.
    ///
    /// Else a file that is opened later gets such a number, and with it all that is printed. To
    /// read from them, or to write to them, fails as it does with a closed descriptor. Call it
    /// before anything is opened.
    package static func fill() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The system gives the lowest number that is free, and that is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
