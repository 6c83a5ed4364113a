// Bytes that many streams send. They go out from their own memory, and are copied for a stream only
// if it cannot send them at once.
extension Session {
    /// Adds bytes to the stream's output without a copy of its own.
    ///
    /// If a thousand streams send the same bytes, these are read a thousand times from one address,
    /// which the processor has at hand. They are not written to a thousand other addresses.
    ///
    /// - Parameter owner: Keeps the bytes unchanged for as long as it lives; it is held until
    ///   ``settleLoans()``.
    package func lend(
        _ bytes: UnsafeRawBufferPointer, of owner: AnyObject, to stream: StreamPointer
    ) {
        guard !bytes.isEmpty, !stream.pointee.isClosed else { return }
        guard stream.pointee.waitingBytes == 0 else {
            settleLoan(of: stream)
            stream.pointee.output.append(bytes)
            return recount(stream)
        }
        if lenders.last !== owner { lenders.append(owner) }
        stream.pointee.loan = bytes
        loans += 1
        guard stream.pointee.lendingRound != lendingRound else { return }
        stream.pointee.lendingRound = lendingRound
        borrowers.append(stream)
    }

    /// Copies the bytes that are still lent, and releases their owners.
    ///
    /// Call it after everything that can be sent was sent, and before anything else keeps an owner
    /// waiting.
    package func settleLoans() {
        guard !lenders.isEmpty else { return }
        if loans > 0 {
            for stream in borrowers { settleLoan(of: stream) }
        }
        dropLoans()
    }

    /// Copies the bytes that are lent to the stream, so that more may follow them.
    package func settleLoan(of stream: StreamPointer) {
        guard !stream.pointee.loan.isEmpty else { return }
        stream.pointee.output.append(stream.pointee.loan)
        stream.pointee.loan = UnsafeRawBufferPointer(start: nil, count: 0)
        loans -= 1
        recount(stream)
    }

    /// The first `count` bytes of the stream's loan were sent.
    func takeLoan(_ count: Int, of stream: StreamPointer) {
        stream.pointee.loan = UnsafeRawBufferPointer(rebasing: stream.pointee.loan[count...])
        if stream.pointee.loan.isEmpty { loans -= 1 }
    }

    /// Drops the loan of a closed stream, whose memory may soon belong to another.
    func forgetLoan(of stream: StreamPointer) {
        if !stream.pointee.loan.isEmpty {
            stream.pointee.loan = UnsafeRawBufferPointer(start: nil, count: 0)
            loans -= 1
        }
        guard stream.pointee.lendingRound == lendingRound else { return }
        stream.pointee.lendingRound = 0
        borrowers.removeAll { $0 == stream }
    }

    /// Forgets all loans.
    func dropLoans() {
        if loans > 0 {
            for stream in borrowers { stream.pointee.loan = .init(start: nil, count: 0) }
            loans = 0
        }
        borrowers.removeAll(keepingCapacity: true)
        lenders.removeAll(keepingCapacity: true)
        lendingRound &+= 1
    }
}
