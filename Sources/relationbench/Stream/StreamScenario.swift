/// Writes that are told to open streams of changes.
struct StreamScenario {
    enum Work: Equatable {
        /// Pairs become friends and stop being it: each write has two events, each for one stream.
        case pairs
        /// A user whom all who watch have as a friend has another nick.
        case friendsProfile
        /// A user to whom all who watch subscribe has another nick.
        case profile
        /// The same user comes online, or goes.
        case presence
    }

    let title: String
    let work: Work
    /// Writes in flight, as connections times calls on each.
    var connections = 1
    var streams = 1
}

extension StreamScenario {
    /// How many streams are open.
    func watchers(_ effort: Effort) -> Int {
        switch work {
        case .pairs: effort.watchers
        case .friendsProfile: effort.friends
        case .profile, .presence: effort.subscribers
        }
    }

    /// Writes of one kind in a round.
    func writes(_ effort: Effort) -> Int {
        switch work {
        case .pairs:
            min(
                effort.watchers / 2,
                connections * streams == 1 ? effort.loneWrites : effort.massedWrites)
        case .friendsProfile, .profile, .presence: effort.wideWrites
        }
    }

    /// How often a round writes them, so that it is long enough to be measured.
    func turns(_ effort: Effort) -> Int {
        work == .pairs && connections * streams > 1 ? effort.massedTurns : 1
    }
}
