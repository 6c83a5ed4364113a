import Protobuf
import RelationAPI
import RelationClient

/// A part of an import: the rows of one file, to one call.
struct ImportStage<Rows: RowFile, Request: Message, Response: ImportAnswer>: Sendable {
    /// The fields that only the first message of a stream has.
    struct First: Sendable {
        var importID = ""
        var firstRow: Int64 = 0
    }

    let name: String
    let rows: Rows
    let count: Int
    let method: Method<Request, Response>
    let request: @Sendable (_ row: Rows.Row?, _ first: First?) -> Request

    /// How far the import of this name has come.
    func progress(of id: String, _ client: Client) async throws -> ImportProgress {
        let stream = client.stream(method)
        try await stream.send(request(nil, First(importID: id)))
        stream.finishSending()
        var progress = ImportProgress()
        while let answer = try await stream.next() {
            if let made = answer.progressMade { progress = made }
        }
        return progress
    }

    /// Sends the rows that are missing, and reads the answers at the same time, as the stream's
    /// windows demand.
    ///
    /// - Parameter refused: Gets each result of a row that was refused.
    func send(
        as id: String, _ client: Client, _ report: inout RowReport,
        refused: (ImportRowResult) throws -> Void
    ) async throws {
        let before = try await progress(of: id, client)
        if before.lastDurableRow > 0 {
            report.tell("\(name): goes on after row \(before.lastDurableRow)")
            report.show(before)
        }
        guard before.lastDurableRow < Int64(count) || count == 0 else { return }
        let stream = client.stream(method)
        let sender = Task { try await sendRows(after: before.lastDurableRow, id, to: stream) }
        do {
            while let answer = try await stream.next() {
                if let row = answer.rowResult, report.add(row) { try refused(row) }
                if let made = answer.progressMade { report.show(made) }
            }
        } catch {
            sender.cancel()
            stream.cancel()
            // A file that can no longer be read ends the call too, and is the reason then.
            if case .failure(let failure as Failure) = await sender.result { throw failure }
            throw error
        }
        try await sender.value
    }

    private func sendRows(
        after last: Int64, _ id: String, to stream: CallStream<Request, Response>
    ) async throws {
        do {
            let reader = try rows.open()
            var first: First? = First(importID: id, firstRow: last + 1)
            var number: Int64 = 0
            var requests: [Request] = []
            while let next = try reader.next() {
                guard case .row(let row) = next else { continue }
                number += 1
                guard number > last else { continue }
                requests.append(request(row, first))
                first = nil
                guard requests.count == Limits.importedRowsAtOnce else { continue }
                try await stream.send(contentsOf: requests)
                requests.removeAll(keepingCapacity: true)
            }
            try await stream.send(contentsOf: requests)
            stream.finishSending()
        } catch {
            // The answers end too.
            stream.cancel()
            throw error
        }
    }
}

/// An answer of an import: the result of a row, or the progress.
protocol ImportAnswer: Message {
    var rowResult: ImportRowResult? { get }
    var progressMade: ImportProgress? { get }
}

extension ImportAccountsResponse: ImportAnswer {
    var rowResult: ImportRowResult? {
        if case .row(let row) = answer { row } else { nil }
    }
    var progressMade: ImportProgress? {
        if case .progress(let progress) = answer { progress } else { nil }
    }
}

extension ImportFriendsResponse: ImportAnswer {
    var rowResult: ImportRowResult? {
        if case .row(let row) = answer { row } else { nil }
    }
    var progressMade: ImportProgress? {
        if case .progress(let progress) = answer { progress } else { nil }
    }
}
