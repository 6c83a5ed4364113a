/// A queue that gives elements in the order in which it took them.
struct Fifo<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    /// The element at a distance from the first.
    subscript(distance: Int) -> Element? {
        let index = head + distance
        return index < elements.count ? elements[index] : nil
    }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts an element before all others; there must be room from one that was taken.
    mutating func requeue(_ element: Element) {
        if head > 0 {
            head -= 1
            elements[head] = element
        } else {
            elements.insert(element, at: 0)
        }
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            // The room is kept for the next elements, unless it is large.
            elements.removeAll(keepingCapacity: elements.count <= 64)
            head = 0
        } else if head >= 32, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
