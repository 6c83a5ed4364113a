import ArgumentParser

/// Where a printed stream begins.
enum WatchStart: String, ExpressibleByArgument, CaseIterable {
    case state
    case now
}
