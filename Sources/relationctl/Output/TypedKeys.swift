import Glibc
import Synchronization

/// The keys that are typed on the terminal, each as it comes, and without being shown.
enum TypedKeys {
    /// The modes that the terminal had; 0 before the keys are read.
    private static let modes = Atomic<UInt32>(0)

    /// Begins to read them, if standard input is the terminal of this program.
    ///
    /// A signal that ends the program puts the terminal back first.
    static func begin() {
        var terminal = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(),
            tcgetattr(STDIN_FILENO, &terminal) == 0
        else { return }
        modes.store(terminal.c_lflag, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { number in
                // A handler may only do safe things: load an atomic, and call the system.
                TypedKeys.end()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        terminal.c_lflag &= ~UInt32(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal)
    }

    /// Puts the terminal back.
    static func end() {
        let before = modes.load(ordering: .relaxed)
        var terminal = termios()
        guard before != 0, tcgetattr(STDIN_FILENO, &terminal) == 0 else { return }
        terminal.c_lflag = before
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal)
    }

    /// The next key that was typed; nil if there is none now.
    static func next() -> UInt8? {
        guard modes.load(ordering: .relaxed) != 0 else { return nil }
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, 0) == 1 else { return nil }
        var byte: UInt8 = 0
        return read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
    }
}
