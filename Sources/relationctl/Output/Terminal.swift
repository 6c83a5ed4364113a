import Glibc

/// The terminal that standard output is.
enum Terminal {
    /// The lines that it shows at once, and how wide they are; nil if it does not say.
    ///
    /// One that does not say its width, or is narrower than any page, has the usual one or the
    /// least.
    static var size: (rows: Int, columns: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, numericCast(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
            return nil
        }
        let columns = size.ws_col > 0 ? Int(size.ws_col) : Limits.terminalColumns
        return (Int(size.ws_row), max(columns, Limits.leastColumns))
    }
}
