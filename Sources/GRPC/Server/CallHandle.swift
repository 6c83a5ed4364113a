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

    /// Whether its return says that work for the call is done; see ``ServerCall/beginWork()``.
    private(set) var isWork = false

    var ofWork: CallHandle {
        var handle = self
        handle.isWork = true
        return handle
    }

    package var loopIndex: Int { loop.index }

    /// The call's place among those of its loop.
    var slot: Int { call.slot }

    /// Whether the call waits for an answer still, as far as other threads can know: it may end at
    /// any moment.
    package var isOpen: Bool { call.generation == generation }

    /// The same for who keeps the loop otherwise.
    package var ticket: CallTicket { CallTicket(call: call, generation: generation) }

    /// The call, if it is open; to be asked on its loop, in a piece of work of the loop's.
    package var openCall: ServerCall? { isOpen && call.isOpen ? call : nil }

    /// The same; work that comes back with the handle is done.
    private func takeCall() -> ServerCall? {
        if isWork { call.workDone() }
        return openCall
    }

    /// Runs `body` on the call's loop, if the call is still open then.
    package func resume(_ body: @escaping @Sendable (ServerCall) -> Void) {
        loop.execute { if let call = takeCall() { call.handling { body(call) } } }
    }

    /// Runs `body` for each of many calls, with one hop for each loop that they belong to.
    package static func resume(
        _ handles: [CallHandle], _ body: @escaping @Sendable (Int, ServerCall) -> Void
    ) {
        var work = LoopWork()
        resume(handles, in: &work, body)
        work.post()
    }

    /// The same as a part of other work.
    ///
    /// The number is the call's place in `handles`; calls that have ended are left out.
    package static func resume(
        _ handles: [CallHandle], in work: inout LoopWork,
        _ body: @escaping @Sendable (Int, ServerCall) -> Void
    ) {
        guard let first = handles.first else { return }
        var loops: [ServerLoop] = [first.loop]
        for handle in handles where !loops.contains(where: { $0 === handle.loop }) {
            loops.append(handle.loop)
        }
        for loop in loops {
            work.add(on: loop) {
                for (number, handle) in handles.enumerated() where handle.loop === loop {
                    guard let call = handle.takeCall() else { continue }
                    call.handling { body(number, call) }
                }
            }
        }
    }

    /// Ends calls whose deadline has passed, as their loops would do.
    package static func expire(_ handles: [CallHandle]) {
        resume(handles) { _, call in call.expire() }
    }
}

/// A ``CallHandle`` that holds nothing, so that thousands of them cost no more than their bytes.
///
/// `@unchecked Sendable`: other threads only pass it on.
///
/// - Important: Whoever has it must keep the call's loop.
package struct CallTicket: @unchecked Sendable {
    fileprivate unowned(unsafe) let call: ServerCall
    fileprivate let generation: UInt32

    /// Runs `body` with the call and its handler, if the call is open; to be called on its loop, in
    /// a piece of work of the loop's.
    ///
    /// - Parameter type: What the handler is.
    package func withHandler<Handler: StreamHandler>(
        _ type: Handler.Type, _ body: (Handler, ServerCall) -> Void
    ) {
        guard call.generation == generation, call.isOpen, let handler = call.handler else {
            return
        }
        call.handling { body(unsafeDowncast(handler, to: type), call) }
    }
}

/// Work for loops that is gathered and then handed over, so that each loop is woken once and writes
/// to each connection once, whatever it was given to do.
package struct LoopWork {
    private var shares: [(loop: ServerLoop, pieces: [@Sendable () -> Void])] = []

    package init() {}

    /// Adds a piece, which runs on `loop` after those that were added before.
    package mutating func add(on loop: ServerLoop, _ piece: @escaping @Sendable () -> Void) {
        if let place = shares.firstIndex(where: { $0.loop === loop }) {
            shares[place].pieces.append(piece)
        } else {
            shares.append((loop, [piece]))
        }
    }

    /// Hands everything over.
    package mutating func post() {
        for (loop, pieces) in shares {
            loop.execute { for piece in pieces { piece() } }
        }
        shares = []
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
