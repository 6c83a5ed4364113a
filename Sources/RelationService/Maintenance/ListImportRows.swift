import Protobuf
package import RelationAPI
package import RelationCalls
package import RelationCore
import RelationModel

/// An import whose messages have the fields of ``ImportRequest`` and ``ImportResponse``.
package protocol ListImportRows: ImportRows
where
    Request == ImportRequest<Message>, Response == ImportResponse<Message, Result>,
    Result.Code == Code
{
    associatedtype Message: ImportedRow
    associatedtype Result: ImportedRowResult

    /// The row, if all of it can be read by itself.
    static func value(_ row: Message, _ app: App) throws(Refusal<Code>) -> Row
}

extension ListImportRows {
    package static func setup(_ request: ImportRequest<Message>) -> ImportSetup {
        ImportSetup(
            options: request.options, notify: request.notify, importID: request.importID,
            firstRow: request.firstRow)
    }

    package static func row(_ request: ImportRequest<Message>, _ app: App) -> ImportRow<Row, Code>?
    {
        request.row.map { row in
            ImportRow(
                userID: row.userID.echoed(),
                value: Swift.Result { () throws(Refusal<Code>) in try value(row, app) })
        }
    }
}

/// The result of a row in the message of one call.
package protocol ImportedRowResult: ResultMessage where Code: OutcomeCode, Info == String {
    var rowNumber: Int64 { get set }
    var userID: String { get set }

    /// Sets what only some calls say about a row.
    mutating func setDetail(_ detail: ImportRowDetail)
}

extension ImportedRowResult {
    package mutating func setDetail(_ detail: ImportRowDetail) {}

    package init(_ row: ImportRowOutcome<Code>) {
        self.init()
        rowNumber = row.number
        userID = row.userID
        code = row.outcome.code
        reason = row.outcome.reason
        info = row.outcome.reason.info.description
        if let detail = row.detail { setDetail(detail) }
    }
}

extension ImportRows {
    package static func response<Row, Result: ImportedRowResult>(
        _ row: ImportRowOutcome<Code>
    ) -> Response where Response == ImportResponse<Row, Result>, Result.Code == Code {
        var response = Response()
        response.answer = .row(Result(row))
        return response
    }

    package static func response<Row, Result>(
        _ progress: ImportProgress
    ) -> Response where Response == ImportResponse<Row, Result> {
        var response = Response()
        response.answer = .progress(progress)
        return response
    }
}

extension ImportRowResult: ImportedRowResult {}

extension ImportFollowsRowResult: ImportedRowResult {}

extension ImportProfilesRowResult: ImportedRowResult {
    package mutating func setDetail(_ detail: ImportRowDetail) {
        field = detail.field
    }
}

extension ImportAppRowResult: ImportedRowResult {
    package mutating func setDetail(_ detail: ImportRowDetail) {
        kind = detail.kind
        field = detail.field
        description = detail.rule
    }
}
