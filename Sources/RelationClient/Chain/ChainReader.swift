internal import RelationAPI

/// The requests that read a user's chain from the server.
///
/// A whole chain begins with the user's sequence. Then the lists are read by pages while other
/// calls may change them, and at last the events since that sequence are applied. So each row that
/// changed meanwhile is as the last of its events says, and the chain is of one moment.
struct ChainReader: Sendable {
    /// How often the reading of a whole chain begins.
    ///
    /// It begins again if the list changes in bulk while it is read.
    static let mostTries = 3
    /// The rows and events of one page: the most that the server answers.
    private static let pageSize: Int32 = 1_000

    let source: any ChainSource
    let user: String
    let options: CallOptions

    /// Reads the chain.
    ///
    /// - Parameters:
    ///   - base: The rows to go on from; nil if there are none.
    ///   - needed: The sequence that it must have at least. A server with another history may never
    ///     have issued it: then the chain is read as it is there.
    func chain(after base: ChainRows?, needed: Int64) async throws -> FetchedChain {
        var needed = needed
        do {
            if let base, let rows = try await caughtUp(base, needed) {
                return FetchedChain(rows: rows, isWhole: false)
            }
        } catch let error as CallError where error.reason == Self.notIssued {
            needed = 0
        }
        for _ in 0..<Self.mostTries {
            do {
                if let rows = try await whole(needed) {
                    return FetchedChain(rows: rows, isWhole: true)
                }
            } catch let error as CallError where error.reason == Self.notIssued {
                needed = 0
            }
        }
        throw CallError(
            code: .aborted,
            message: "the friend list changed in bulk while it was read \(Self.mostTries) times")
    }

    private static let notIssued = "SEQUENCE_NOT_ISSUED"

    /// Reads all rows; nil if it must begin again.
    private func whole(_ needed: Int64) async throws -> ChainRows? {
        let request = GetSequenceRequest.with {
            $0.userID = user
            $0.options = read(at: needed)
        }
        let sequence = try await source.sequence(request, options)
        async let friends = friends(at: sequence)
        async let blacklist = blacklist(at: sequence)
        let rows = ChainRows(try await friends, try await blacklist, sequence: sequence)
        return try await caughtUp(rows, sequence, isRedo: true)
    }

    private func friends(at sequence: Int64) async throws -> [Friend] {
        let request = ListFriendsRequest.with {
            $0.userID = user
            $0.options = read(at: sequence)
            $0.order = .userID
            $0.pageSize = Self.pageSize
        }
        return try await source.friends(request, options)
    }

    private func blacklist(at sequence: Int64) async throws -> [BlacklistEntry] {
        let request = ListBlacklistRequest.with {
            $0.userID = user
            $0.options = read(at: sequence)
            $0.pageSize = Self.pageSize
        }
        return try await source.blacklist(request, options)
    }

    /// The rows with all events since; nil if the log cannot tell them.
    private func caughtUp(
        _ base: ChainRows, _ needed: Int64, isRedo: Bool = false
    ) async throws -> ChainRows? {
        let request = ListChangesRequest.with {
            $0.userID = user
            $0.options = read(at: needed)
            $0.sinceSequence = base.sequence
            $0.kinds = ChainRows.kinds
            $0.pageSize = Self.pageSize
        }
        var rows = base
        var reached = base.sequence
        for try await page in source.events(request, options) {
            if page.resync { return nil }
            for event in page.events where event.sequence > rows.sequence {
                guard rows.apply(event, isRedo: isRedo) else { return nil }
            }
            reached = page.sequence
        }
        rows.sequence = max(rows.sequence, reached)
        return rows
    }

    private func read(at sequence: Int64) -> ReadOptions? {
        guard sequence > 0 else { return nil }
        return .with { $0.minSequence = .with { $0.sequence = sequence } }
    }
}
