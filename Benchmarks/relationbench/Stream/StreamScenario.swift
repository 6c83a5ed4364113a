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

    let name: ScenarioName
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

    /// Writes in a round, of both kinds where pairs become friends and stop being it.
    func writes(_ effort: Effort) -> Int {
        switch work {
        case .pairs:
            connections * streams == 1
                ? min(effort.watchers, 2 * effort.loneWrites)
                : min(effort.watchers, 2 * effort.massedWrites) * effort.massedTurns
        case .friendsProfile, .profile, .presence: effort.wideWrites
        }
    }
}
