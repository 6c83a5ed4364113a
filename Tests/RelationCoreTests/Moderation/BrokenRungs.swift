import RelationModel

@testable import RelationCore

/// A recorder that breaks a rule: one of its rungs lets everything through.
///
/// It is otherwise the recorder of the explanations.
struct BrokenRungs: RungRecorder {
    /// The rung that lets everything through; nil if the rule is whole.
    private let broken: RungKind?
    private var noted = NotedRungs()

    init(breaking broken: RungKind?) {
        self.broken = broken
    }

    var kinds: [RungKind] { noted.rungs.map(\.kind) }
    var deciding: RungKind? { noted.rungs.first { $0.decided }?.kind }

    var isExplaining: Bool { noted.isExplaining }

    mutating func passes(_ rung: @autoclosure () -> RungKind, _ condition: Bool) -> Bool {
        noted.passes(rung(), condition || rung() == broken)
    }

    mutating func records(_ rung: @autoclosure () -> RungKind, _ fact: Bool) -> Bool {
        noted.records(rung(), fact)
    }

    mutating func reachesWrite() -> Bool { noted.reachesWrite() }
}
