import RelationModel

/// A recorder that keeps the rungs of one ladder: up to the one that decides, and those after it
/// that only tell something.
struct NotedRungs: RungRecorder {
    private(set) var rungs: [(kind: RungKind, decided: Bool)] = []
    private var isDecided = false

    var isExplaining: Bool { true }

    mutating func passes(_ rung: @autoclosure () -> RungKind, _ condition: Bool) -> Bool {
        if !isDecided {
            rungs.append((rung(), !condition))
            isDecided = !condition
        }
        return condition
    }

    mutating func records(_ rung: @autoclosure () -> RungKind, _ fact: Bool) -> Bool {
        rungs.append((rung(), false))
        return fact
    }

    mutating func reachesWrite() -> Bool {
        ends(.write)
        return false
    }
}
