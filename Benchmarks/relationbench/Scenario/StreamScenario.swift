/// Writes whose changes open streams are told of.
struct StreamScenario {
    enum Work: Equatable {
        /// Pairs become friends and end the friendship: each write has two events, each for one
        /// stream.
        case pairs
        /// A user that all watching users have as a friend changes its nick.
        case friendsProfile
        /// A user to whom all watching users subscribe changes its nick.
        case profile
        /// A user to whom all watching users subscribe comes online or goes offline.
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

    /// Writes in a round; of both kinds, if pairs become friends and end the friendship.
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
