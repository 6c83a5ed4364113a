package import RelationModel

/// The kinds of calls about which some hook of an app is asked.
package struct HookQuestionSet: Equatable, Sendable {
    private var bits: UInt32 = 0

    package init() {}

    /// The kinds about which hooks that are not paused are asked.
    package init(_ hooks: [HookRecord]) {
        for hook in hooks where !hook.isPaused {
            for question in hook.asks { bits |= Self.bit(question) }
        }
    }

    @inline(__always)
    package func contains(_ question: HookQuestion) -> Bool { bits & Self.bit(question) != 0 }

    @inline(__always)
    private static func bit(_ question: HookQuestion) -> UInt32 {
        1 << UInt32(truncatingIfNeeded: question.rawValue & 31)
    }
}

extension App {
    /// Whether a hook of the app is asked before such calls.
    package func asks(_ question: HookQuestion) -> Bool { settings.asked.contains(question) }
}
