import ArgumentParser

/// Where a printed stream begins.
enum PrintStart: String, ExpressibleByArgument, CaseIterable {
    case state
    case now
}
