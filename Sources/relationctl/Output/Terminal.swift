import Glibc

/// The terminal that standard output is.
enum Terminal {
    /// The lines that it shows at once; nil if it does not say.
    static var rows: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, numericCast(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
            return nil
        }
        return Int(size.ws_row)
    }
}
