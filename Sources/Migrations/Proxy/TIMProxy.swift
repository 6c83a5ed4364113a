import Synchronization

/// Answers TIM's REST API from one system, asks another one the same, and compares the answers.
package final class TIMProxy: Sendable {
    private let old: PostClient
    private let new: PostClient
    private let asksReadsAlone: Bool
    private let queues = ShadowQueues()
    private let state = Mutex(ProxyCounts())
    private let connections = Mutex(0)
    private let report: @Sendable ([MigrationLoss]) async -> Void

    /// - Parameters:
    ///   - old: The system that answers.
    ///   - new: The system that is only asked.
    ///   - asksReadsAlone: Whether the new system gets no request that changes something.
    ///   - answerSeconds: How long the old system may take to answer.
    ///   - report: Takes the differences of one request.
    package init(
        _ old: PostOrigin, _ new: PostOrigin, asksReadsAlone: Bool, answerSeconds: Int64,
        report: @escaping @Sendable ([MigrationLoss]) async -> Void
    ) throws(MigrationError) {
        self.old = try PostClient(old, answerSeconds: answerSeconds)
        self.new = try PostClient(new)
        self.asksReadsAlone = asksReadsAlone
        self.report = report
    }

    package var counts: ProxyCounts { state.withLock { $0 } }

    /// Takes a connection in, unless there are too many.
    func enter() -> Bool {
        connections.withLock { connections in
            guard connections < MigrationLimits.proxyConnections else { return false }
            connections += 1
            return true
        }
    }

    /// A connection that was taken in has ended, and none of its requests waits.
    func remove() {
        connections.withLock { $0 -= 1 }
    }

    /// The answer of the old system; nil if it gives none.
    ///
    /// A write that the old system refuses as a whole is not made in the new one.
    func answer(_ call: ProxiedCall) async -> PostAnswer? {
        let answer = try? await old.post(call.target, call.body)
        var hasRoom = true
        var isRefused = false
        if let answer, answer.status == 200, call.command != nil, call.isRead || !asksReadsAlone {
            isRefused = !call.isRead && AnswerObject(json: answer.body)?.number("ErrorCode") != 0
        }
        if let answer, answer.status == 200, !isRefused, call.command != nil,
            call.isRead || !asksReadsAlone
        {
            let user = call.user(in: AnswerObject(json: call.body))
            hasRoom = queues.offer(ShadowQueues.Job(call: call, answer: answer.body), of: user)
        }
        state.withLock { counts in
            counts.requests += 1
            if answer == nil { counts.unanswered += 1 }
            if !hasRoom { counts.unasked += 1 }
            if isRefused { counts.refused += 1 }
        }
        return answer
    }

    /// Asks the new system, until the task is cancelled.
    package func compare() async {
        await queues.run { job in
            guard let answer = try? await self.new.post(job.call.target, job.call.body),
                answer.status == 200
            else { return self.state.withLock { $0.silent += 1 } }
            let differences = AnswerComparison(job.call, job.answer, answer.body).differences
            if !differences.isEmpty { await self.report(differences) }
            self.state.withLock { counts in
                counts.compared += 1
                if !differences.isEmpty { counts.different += 1 }
            }
        }
    }
}
