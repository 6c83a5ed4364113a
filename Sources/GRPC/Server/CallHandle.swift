/// A ticket for one call, for other threads that later come back to the call.
///
/// Objects of ``ServerCall`` are recycled, so a ticket also holds the generation of its call: once
/// that call has ended, ``resume(_:)`` does nothing.
///
/// `Sendable` is unchecked: the call is touched on its loop only, except its generation, which is
/// atomic.
package struct CallHandle: @unchecked Sendable {
    package let loop: ServerLoop
    /// The call lives as long as its loop, which keeps all its calls.
    private unowned(unsafe) let call: ServerCall
    private let generation: UInt32

    init(_ call: ServerCall) {
        loop = call.loop
        self.call = call
        generation = call.generation
    }

    /// Whether the handle's return says that work for the call is done; see
    /// ``ServerCall/beginWork()``.
    private(set) var isWork = false

    /// Whether the call is traced: the threads that have it then note the points on its path.
    package private(set) var isTraced = false

    var ofWork: CallHandle {
        var handle = self
        handle.isWork = true
        if let notes = call.notes { handle.isTraced = notes.isTraced }
        return handle
    }

    /// The call, for what any thread may touch.
    var heldCall: ServerCall { call }

    /// The call's slot among the calls of its loop.
    var slot: Int { call.slot }

    /// Whether the call still waits for an answer, as far as other threads can know: it may end at
    /// any moment.
    package var isOpen: Bool { call.generation == generation }

    /// A smaller ticket, for code that keeps the loop by other means.
    package var ticket: CallTicket {
        CallTicket(call: .passUnretained(call), generation: generation)
    }

    /// The call, if it is open.
    ///
    /// Read this only on the call's loop, in work that the loop runs.
    package var openCall: ServerCall? { isOpen && call.isOpen ? call : nil }

    /// The call, if it is open; if the handle is that of work, the work is counted as done.
    private func takeCall() -> ServerCall? {
        if isWork { call.workDone() }
        return openCall
    }

    /// Runs `body` on the call's loop, if the call is still open then.
    package func resume(_ body: @escaping @Sendable (ServerCall) -> Void) {
        loop.execute { if let call = takeCall() { call.handling { body(call) } } }
    }

    /// Runs `body` for each of many calls, with one hop for each loop that has some of them.
    package static func resume(
        _ handles: [CallHandle], _ body: @escaping @Sendable (Int, ServerCall) -> Void
    ) {
        var work = LoopWork()
        resume(handles, in: &work, body)
        work.post()
    }

    /// Adds to `work` that `body` runs for each of many calls.
    ///
    /// The number that `body` gets is the call's index in `handles`. Calls that have ended are left
    /// out.
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
                for (index, handle) in handles.enumerated() where handle.loop === loop {
                    guard let call = handle.takeCall() else { continue }
                    call.handling { body(index, call) }
                }
            }
        }
    }

    /// Ends calls whose deadline has passed, as their loops would do.
    package static func expire(_ handles: [CallHandle]) {
        resume(handles) { _, call in call.expire() }
    }
}

/// A ``CallHandle`` that keeps no object alive, so that thousands of them cost no more than their
/// bytes.
///
/// `Sendable` is unchecked: other threads only pass it on.
///
/// - Important: The owner of a ticket must keep the call's loop alive.
package struct CallTicket: @unchecked Sendable {
    fileprivate let call: Unmanaged<ServerCall>
    fileprivate let generation: UInt32

    /// Runs `body` with the call and its handler, if the call is open.
    ///
    /// Call this only on the call's loop, in work that the loop runs.
    ///
    /// - Parameter type: The type of the handler, which is not checked.
    package func withHandler<Handler: StreamHandler>(
        _ type: Handler.Type, _ body: (Handler, ServerCall) -> Void
    ) {
        // The loop keeps all its calls.
        call._withUnsafeGuaranteedRef { call in
            guard call.generation == generation, call.isOpen, let handler = call.handler else {
                return
            }
            call.handling { body(unsafeDowncast(handler, to: type), call) }
        }
    }
}

/// Work for loops that is gathered and then handed over at once.
///
/// Each loop is woken once and writes to each connection once, however many pieces of work it gets.
package struct LoopWork {
    private var shares: [(loop: ServerLoop, pieces: [@Sendable () -> Void])] = []

    package init() {}

    /// Adds a piece, which runs on `loop` after the pieces that were added before.
    package mutating func add(on loop: ServerLoop, _ piece: @escaping @Sendable () -> Void) {
        if let index = shares.firstIndex(where: { $0.loop === loop }) {
            shares[index].pieces.append(piece)
        } else {
            shares.append((loop, [piece]))
        }
    }

    /// Hands all pieces over to their loops.
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
