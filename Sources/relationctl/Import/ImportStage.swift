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

    /// Sends the rows that are missing, over as many streams as that takes.
    ///
    /// A stream that broke, or that something before the server cut off, is followed by another one
    /// after the last durable row.
    ///
    /// - Parameter refused: Gets each result of a row that was refused.
    func send(
        as id: String, _ client: Client, _ report: inout RowReport,
        refused: (Response.RowResult) throws -> Void
    ) async throws {
        let before = try await progress(of: id, client)
        if before.lastDurableRow > 0 {
            report.show("\(name): goes on after row \(before.lastDurableRow)")
            report.show(before)
        }
        guard before.lastDurableRow < Int64(count) || count == 0 else { return }
        let cursor = RowCursor(rows)
        var state = StreamState(before)
        while true {
            do {
                if let rows = state.unknown {
                    try await ask(about: rows, client, cursor, &state, &report, refused: refused)
                }
                // The stream that broke may have brought all rows.
                if state.last >= Int64(count), count > 0 { return }
                try await sendStream(as: id, client, cursor, &state, &report, refused: refused)
                if state.last >= Int64(count) || !state.advance() { return }
            } catch let error as CallError {
                guard state.continues(after: error) else { throw error }
                report.show(
                    "\(name): the stream ended after row \(state.last): \(error.description); "
                        + "goes on\(state.form)")
                try await Task.sleep(for: state.wait)
                if let made = try? await progress(of: id, client) {
                    state.apply(made)
                    report.show(made)
                }
            }
        }
    }

    /// Sends rows on one stream, and reads the answers at the same time, as the stream's windows
    /// demand.
    private func sendStream(
        as id: String, _ client: Client, _ cursor: RowCursor<Rows>, _ state: inout StreamState,
        _ report: inout RowReport, refused: (Response.RowResult) throws -> Void
    ) async throws {
        let stream = client.stream(method)
        let sender = Task { [last = state.last, bytes = state.streamBytes] in
            try await sendRows(cursor, after: last, id, to: stream, atMost: bytes)
        }
        try await read(stream, beside: sender) { answer in
            if let row = answer.rowResult {
                try state.show(row, &report, refused: refused)
            }
            if let made = answer.progressMade {
                report.show(made)
                state.last = max(state.last, made.lastDurableRow)
            }
        }
    }

    /// Reads the answers of a stream to their end, while a task sends its rows.
    private func read(
        _ stream: CallStream<Request, Response>, beside sender: Task<Void, any Error>,
        _ body: (Response) throws -> Void
    ) async throws {
        do {
            while let answer = try await stream.next() { try body(answer) }
        } catch {
            sender.cancel()
            stream.cancel()
            // A file that can no longer be read ends the call too, and is the reason then.
            if case .failure(let failure as Failure) = await sender.result { throw failure }
            throw error
        }
        try await sender.value
    }

    /// Learns which of these rows were refused: they are durable, and their results were lost with
    /// the stream that broke.
    ///
    /// They are sent once more by an import without a name, which changes nothing of a row that is
    /// there already.
    private func ask(
        about numbers: ClosedRange<Int64>, _ client: Client, _ cursor: RowCursor<Rows>,
        _ state: inout StreamState, _ report: inout RowReport,
        refused: (Response.RowResult) throws -> Void
    ) async throws {
        let stream = client.stream(method)
        let before = numbers.lowerBound - 1
        let sender = Task {
            do {
                try await cursor.seek(after: before)
                var left = numbers.count
                while left > 0 {
                    let rows = try await cursor.next(min(left, Limits.shortStreamRowsAtOnce))
                    guard !rows.isEmpty else { break }
                    try await stream.send(contentsOf: rows.map { request($0, nil) })
                    left -= rows.count
                }
                stream.finishSending()
            } catch {
                stream.cancel()
                throw error
            }
        }
        try await read(stream, beside: sender) { answer in
            guard var row = answer.rowResult else { return }
            row.rowNumber += before
            try state.show(row, &report, refused: refused)
        }
        state.unknown = nil
    }

    private func sendRows(
        _ cursor: RowCursor<Rows>, after last: Int64, _ id: String,
        to stream: CallStream<Request, Response>, atMost limit: Int?
    ) async throws {
        do {
            try await cursor.seek(after: last)
            var first: First? = First(importID: id, firstRow: last + 1)
            let atOnce =
                limit == nil ? Limits.importedRowsAtOnce : Limits.shortStreamRowsAtOnce
            var left = limit ?? .max
            while left > 0 {
                let rows = try await cursor.next(atOnce)
                if rows.count < atOnce { try await cursor.checkEnd(count, name) }
                var requests: [Request] = []
                for row in rows {
                    requests.append(request(row, first))
                    first = nil
                }
                try await stream.send(contentsOf: requests)
                if rows.count < atOnce { break }
                if limit != nil {
                    for request in requests { left -= try request.serializedBytes().count }
                }
            }
            stream.finishSending()
        } catch {
            // The answers end too.
            stream.cancel()
            throw error
        }
    }
}

/// The rows of a file, one after another, for the streams of an import.
private actor RowCursor<Rows: RowFile> {
    private let rows: Rows
    private var reader: (any RowReader<Rows.Row>)?
    /// The number of the row that was read last.
    private var number: Int64 = 0

    init(_ rows: Rows) {
        self.rows = rows
    }

    /// Goes to the row after this one: back to the beginning of the file if it has to.
    func seek(after last: Int64) throws {
        if reader == nil || number > last {
            reader = try rows.open()
            number = 0
        }
        while number < last, try nextRow() != nil {}
    }

    /// The next rows; fewer than `count` at the end of the file.
    func next(_ count: Int) throws -> [Rows.Row] {
        var found: [Rows.Row] = []
        while found.count < count, let row = try nextRow() { found.append(row) }
        return found
    }

    /// Checks at the end of the file that it has as many rows as before: rows of another file would
    /// be named wrongly.
    func checkEnd(_ count: Int, _ name: String) throws {
        guard number == Int64(count) else {
            throw Failure(
                "the file has changed meanwhile: it has \(number) \(name), and had \(count)")
        }
    }

    private func nextRow() throws -> Rows.Row? {
        while let next = try reader?.next() {
            guard case .row(let row) = next else { continue }
            number += 1
            return row
        }
        return nil
    }
}
