/// The calls of a client that have no stream yet, in the order in which they came.
///
/// Each call knows its neighbours. So it joins and leaves in the same time, however many wait.
///
/// - Important: It belongs to the event loop of its client.
struct WaitingCalls {
    /// The neighbours of a call that waits.
    struct Links {
        /// The call before, which holds this one.
        // Unmanaged: it waits as long as this one has links.
        fileprivate var previous: Unmanaged<ClientCall>?
        fileprivate var next: ClientCall?
    }

    private(set) var first: ClientCall?
    // Unmanaged: the chain from the first call holds it.
    private var last: Unmanaged<ClientCall>?
    private(set) var count = 0

    /// How many calls were looked at, one after another, since the beginning.
    private(set) var looks = 0

    mutating func append(_ call: ClientCall) {
        call.links = Links(previous: last, next: nil)
        if let last { last.takeUnretainedValue().links?.next = call } else { first = call }
        // Unmanaged: the call before, or `first`, holds it.
        last = Unmanaged.passUnretained(call)
        count += 1
    }

    /// Takes out a call that waits.
    mutating func remove(_ call: ClientCall) {
        guard let links = call.links else { return }
        call.links = nil
        if let previous = links.previous {
            previous.takeUnretainedValue().links?.next = links.next
        } else {
            first = links.next
        }
        if let next = links.next {
            next.links?.previous = links.previous
        } else {
            last = links.previous
        }
        count -= 1
    }

    /// The calls of which `isChosen` is true.
    mutating func calls(where isChosen: (ClientCall) -> Bool) -> [ClientCall] {
        var chosen: [ClientCall] = []
        var next = first
        while let call = next {
            looks += 1
            if isChosen(call) { chosen.append(call) }
            next = call.links?.next
        }
        return chosen
    }
}
