import RelationCore
package import RelationModel

/// A device of a user that went online or offline.
package struct PresenceStep: Sendable, Equatable {
    /// Why it did.
    package enum Cause: Sendable, Equatable {
        case reportedOnline
        case reportedOffline
        /// It was not reported again in time.
        case leaseEnded
        /// All that was known of the user is gone: the store has lost it, or other users took its
        /// room.
        case forgotten
    }

    package var app: UInt32
    package var user: UserID
    package var platform: String
    package var cause: Cause
    /// When it did; nil for the time at which that is reported.
    package var timeMs: Int64?
    /// The platforms of devices that were online, and have made room for it.
    package var drivenOut: [String] = []

    package init(
        app: UInt32, user: UserID, platform: String, cause: Cause, timeMs: Int64?,
        drivenOut: [String] = []
    ) {
        self.app = app
        self.user = user
        self.platform = platform
        self.cause = cause
        self.timeMs = timeMs
        self.drivenOut = drivenOut
    }

    /// The steps by which the devices of a user became others, in the order of their times.
    ///
    /// A device that was online, and is gone, has made room for the one that came online; if none
    /// did, it is notified as one whose lease has ended.
    static func steps(
        of appUser: AppUser, from before: [PresentDevice], to after: [PresentDevice],
        at nowMs: Int64
    ) -> [PresenceStep] {
        func step(_ device: PresentDevice, _ cause: Cause, _ timeMs: Int64) -> PresenceStep {
            PresenceStep(
                app: appUser.app, user: appUser.user, platform: device.platform, cause: cause,
                timeMs: timeMs)
        }
        var steps: [PresenceStep] = []
        for device in before where device.isOnline && device.endMs <= nowMs {
            steps.append(step(device, .leaseEnded, device.endMs))
        }
        steps.sort { ($0.timeMs ?? 0) < ($1.timeMs ?? 0) }
        let live = before.filter { $0.isOnline && $0.endMs > nowMs }
        var gone = live.filter { device in !after.contains { $0.id.isExactly(device.id) } }
        for device in after {
            let wasOnline = live.contains { $0.id.isExactly(device.id) }
            guard device.isOnline != wasOnline else { continue }
            guard device.isOnline else {
                steps.append(step(device, .reportedOffline, device.changeMs))
                continue
            }
            var login = step(device, .reportedOnline, device.changeMs)
            login.drivenOut = gone.map(\.platform)
            gone = []
            steps.append(login)
        }
        return steps + gone.map { step($0, .leaseEnded, nowMs) }
    }

    /// The steps of the online devices of a user that is forgotten.
    static func steps(forgetting appUser: AppUser, _ devices: [PresentDevice]) -> [PresenceStep] {
        devices.filter(\.isOnline).map {
            PresenceStep(
                app: appUser.app, user: appUser.user, platform: $0.platform, cause: .forgotten,
                timeMs: nil)
        }
    }
}
