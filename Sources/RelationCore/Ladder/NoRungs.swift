import RelationModel

/// A recorder that notes nothing: that of every call but those that explain.
///
/// It has no size, and its functions are their arguments, so the compiler leaves it out.
struct NoRungs: RungRecorder {
    @inline(__always)
    var isExplaining: Bool { false }

    @inline(__always)
    mutating func passes(_ rung: @autoclosure () -> RungKind, _ condition: Bool) -> Bool {
        condition
    }

    @inline(__always)
    mutating func records(_ rung: @autoclosure () -> RungKind, _ fact: Bool) -> Bool { fact }

    @inline(__always)
    mutating func reachesWrite() -> Bool { true }
}
