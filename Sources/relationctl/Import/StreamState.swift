import RelationAPI
import RelationClient

/// How far the streams of an import have come, and how the next one is made.
struct StreamState {
    /// The last row that is durable.
    var last: Int64
    /// The last row whose result was reported.
    private var reported: Int64 = 0
    /// How many rows were refused, as far as that was reported.
    private var refused: Int64
    /// The durable rows among which some were refused whose results were lost; nil if there are
    /// none.
    var unknown: ClosedRange<Int64>?
    /// The bytes of rows that go on one stream; nil for all that are left.
    private(set) var streamBytes: Int?
    private var lastOfAttempt: Int64
    private var attempts = 0
    /// How many streams broke.
    private var breaks = 0

    init(_ progress: ImportProgress) {
        last = progress.lastDurableRow
        lastOfAttempt = last
        refused = progress.refused
    }

    /// Reports the result of a row, unless it was reported before.
    mutating func show<Result: RefusedResult>(
        _ row: Result, _ report: inout RowReport, refused note: (Result) throws -> Void
    ) rethrows {
        // A row that was answered and was not durable is answered again.
        guard row.rowNumber > reported else { return }
        reported = row.rowNumber
        guard report.add(row) else { return }
        refused += 1
        try note(row)
    }

    /// Takes how far the import has come, after its stream broke.
    ///
    /// Results come in the order of the rows, and before the progress that counts them.
    mutating func apply(_ progress: ImportProgress) {
        let first = max(unknown?.lowerBound ?? last + 1, reported + 1)
        last = progress.lastDurableRow
        unknown = progress.refused > refused && first <= last ? first...last : nil
    }

    /// The form of the next stream, in words.
    var form: String {
        guard let streamBytes else { return "" }
        return " in streams of \(streamBytes) bytes, since something before the server seems to "
            + "take no longer ones (nginx: client_max_body_size)"
    }

    /// The wait before the next stream.
    var wait: Duration { .milliseconds(100) * (1 << min(attempts, 6)) }

    /// Notes that a stream came to its end; false if it brought the import no further, or was to
    /// send all rows.
    mutating func advance() -> Bool {
        defer { lastOfAttempt = last }
        attempts = 0
        return streamBytes != nil && last > lastOfAttempt
    }

    /// Notes that a stream broke.
    ///
    /// - Returns: Whether another one may bring the import further.
    mutating func continues(after error: CallError) -> Bool {
        let isTooLong = error.isTooLongForTheWay
        guard error.mayPass || isTooLong else { return false }
        let hasGoneOn = last > lastOfAttempt
        lastOfAttempt = last
        attempts = hasGoneOn || isTooLong ? 1 : attempts + 1
        breaks += 1
        guard let bytes = streamBytes else {
            // A proxy that cuts a request off does not always say that it was too long.
            if isTooLong || breaks > 1 { streamBytes = Limits.importStreamBytes }
            return true
        }
        if !hasGoneOn {
            if isTooLong, bytes == Limits.leastImportStreamBytes { return false }
            streamBytes = max(Limits.leastImportStreamBytes, bytes / 2)
        }
        return attempts < Limits.importAttempts
    }
}
