/// A ticket for one call, to be carried to other threads and back.
///
/// Calls are recycled, so a ticket names the very call by a generation: once that call has ended,
/// ``resume(_:)`` does nothing.
package struct CallHandle: Sendable {
    package let loop: ServerLoop
    let slot: Int
    let generation: UInt32

    package var loopIndex: Int { loop.index }

    /// Runs `body` on the call's loop, if the call is still open then.
    package func resume(_ body: @escaping @Sendable (ServerCall) -> Void) {
        loop.execute { if let call = loop.call(in: slot, generation) { body(call) } }
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
                    if let call = loop.call(in: handle.slot, handle.generation) {
                        body(number, call)
                    }
                }
            }
        }
    }
}

extension CallHandle: Hashable {
    package static func == (one: CallHandle, other: CallHandle) -> Bool {
        one.loop === other.loop && one.slot == other.slot && one.generation == other.generation
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(loop))
        hasher.combine(slot)
        hasher.combine(generation)
    }
}
