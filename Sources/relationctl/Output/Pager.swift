import Glibc

/// The program that shows a long text page by page: that of the variable PAGER, or `less`.
enum Pager {
    /// Shows a text, and waits until the person has seen enough.
    ///
    /// - Returns: Whether there was a pager that took it.
    static func show(_ text: PlainText) -> Bool {
        let named = getenv("PAGER").map { String(cString: $0) }
        guard named != "", named != "cat", Environment["TERM"] != "dumb" else { return false }
        // Colours pass, and a text that fits ends it.
        let command =
            named.map { "LESS=\"${LESS-FRX}\" \($0)" }
            ?? "command -v less > /dev/null || exit 127; LESS=\"${LESS-FRX}\" less"
        guard let pipe = popen(command, "w") else { return false }
        // Ctrl-C is the pager's own.
        let before = signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, before) }
        // A pager that was left early has not read all.
        _ = Bytes.write(text.description, to: fileno(pipe))
        let status = pclose(pipe)
        // The shell's word for a program that is not there or cannot be run.
        return status >= 0 && ![126, 127].contains((status >> 8) & 0xFF)
    }
}
