internal import CArguments

/// The arguments with which the process was started.
package enum Arguments {
    /// The arguments after the name of the program.
    ///
    /// `CommandLine.arguments` is empty in a process whose environment was moved before `main`: a
    /// preloaded library that sets a variable does that.
    package static let all: [String] = {
        let count = relation_argument_count()
        guard count > 0 else { return Array(CommandLine.arguments.dropFirst()) }
        return (1..<max(1, count)).compactMap { index in
            relation_argument(index).map { String(cString: $0) }
        }
    }()
}
