// Bytes that many streams send: they go out from where they are, and are copied for a stream only
// when it cannot send them at once.
extension Session {
    /// Adds bytes to the stream's output without a copy of their own.
    ///
    /// What is told to a thousand streams is so read a thousand times from the same place, which
    /// the processor has at hand, and is not written to a thousand others.
    ///
    /// - Parameter owner: Keeps the bytes as they are for as long as it lives; it is held until
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
        guard stream.pointee.loanTurn != loanTurn else { return }
        stream.pointee.loanTurn = loanTurn
        borrowers.append(stream)
    }

    /// Copies what is still lent, and lets go of its owners.
    ///
    /// To be called when all was sent that could be: before anything else keeps an owner waiting.
    package func settleLoans() {
        guard !lenders.isEmpty else { return }
        if loans > 0 {
            for stream in borrowers { settleLoan(of: stream) }
        }
        dropLoans()
    }

    /// Copies what is lent to the stream: so that more may follow it.
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

    /// The stream is closed, and its memory may soon be another's.
    func forgetLoan(of stream: StreamPointer) {
        if !stream.pointee.loan.isEmpty {
            stream.pointee.loan = UnsafeRawBufferPointer(start: nil, count: 0)
            loans -= 1
        }
        guard stream.pointee.loanTurn == loanTurn else { return }
        stream.pointee.loanTurn = 0
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
        loanTurn &+= 1
    }
}
