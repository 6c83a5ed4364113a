/// A ticket for one call, to be carried to other threads and back.
///
/// Calls are recycled, so a ticket names the very call by a generation: once that call has ended,
/// ``resume(_:)`` does nothing.
///
/// `Sendable` is unchecked: the call is touched on its loop only, but for its generation, which is
/// atomic.
package struct CallHandle: @unchecked Sendable {
    package let loop: ServerLoop
    /// Lives as long as its loop, which keeps all its calls.
    private unowned(unsafe) let call: ServerCall
    private let generation: UInt32

    init(_ call: ServerCall) {
        loop = call.loop
        self.call = call
        generation = call.generation
    }

    package var loopIndex: Int { loop.index }

    /// The call's place among those of its loop.
    var slot: Int { call.slot }

    /// Whether the call waits for an answer still, as far as other threads can know: it may end at
    /// any moment.
    package var isOpen: Bool { call.generation == generation }

    /// The call, on its loop and if it is open.
    private var openCall: ServerCall? { isOpen && call.isOpen ? call : nil }

    /// Runs `body` on the call's loop, if the call is still open then.
    package func resume(_ body: @escaping @Sendable (ServerCall) -> Void) {
        loop.execute { if let call = openCall { body(call) } }
    }

    /// Runs `body` for each of many calls, with one hop for each loop that they belong to.
    ///
    /// The number is the call's place in `handles`; calls that have ended are left out.
    package static func resume(
        _ handles: [CallHandle], _ body: @escaping @Sendable (Int, ServerCall) -> Void
    ) {
        guard let first = handles.first else { return }
        var loops: [ServerLoop] = [first.loop]
        for handle in handles where !loops.contains(where: { $0 === handle.loop }) {
            loops.append(handle.loop)
        }
        for loop in loops {
            loop.execute {
                for (number, handle) in handles.enumerated() where handle.loop === loop {
                    if let call = handle.openCall { body(number, call) }
                }
            }
        }
    }

    /// Ends calls whose deadline has passed, as their loops would do.
    package static func expire(_ handles: [CallHandle]) {
        resume(handles) { _, call in call.expire() }
    }
}

extension CallHandle: Hashable {
    package static func == (one: CallHandle, other: CallHandle) -> Bool {
        one.call === other.call && one.generation == other.generation
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(call))
        hasher.combine(generation)
    }
}
