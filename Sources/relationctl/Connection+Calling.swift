import RelationClient

extension Connection {
    /// Makes calls with a client, which is closed after them.
    ///
    /// - Throws: ``Failure`` for a call that failed as a whole.
    func calling<Answer: Sendable>(
        _ body: (Client) async throws -> Answer
    ) async throws -> Answer {
        let client = try client()
        do {
            let answer = try await body(client)
            await client.close()
            return answer
        } catch let error as CallError {
            await client.close()
            throw Failure(error)
        } catch {
            await client.close()
            throw error
        }
    }
}
