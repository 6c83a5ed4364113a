import Glibc
import RelationModel
import RelationRuntime
import Support

extension MoveClock {
    /// The clocks of the machine.
    static var system: MoveClock {
        MoveClock(
            now: { Timestamp(milliseconds: SystemClock.wall.milliseconds) },
            milliseconds: { SystemClock.boot.milliseconds },
            pause: { usleep(UInt32(clamping: $0 * 1_000)) })
    }
}
