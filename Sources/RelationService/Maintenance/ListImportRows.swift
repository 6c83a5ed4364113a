package import Protobuf
package import RelationAPI
package import RelationCalls
package import RelationCore
import RelationModel
package import RelationRuntime

/// An import whose messages have the fields of ``ImportRequest`` and ``ImportResponse``.
package protocol ListImportRows: ImportRows
where Request == ImportRequest<Message>, Response == ImportResponse<Message, Result> {
    associatedtype Message: ImportedRow
    associatedtype Result: ImportedRowResult

    /// The row, if all of it can be read by itself.
    static func value(_ row: Message, _ app: App) throws(Refusal) -> Row
}

extension ListImportRows {
    package static func setup(_ request: ImportRequest<Message>) -> ImportSetup {
        ImportSetup(
            options: request.options, notify: request.notify, importID: request.importID,
            firstRow: request.firstRow)
    }

    package static func row(_ request: ImportRequest<Message>, _ app: App) -> ImportRow<Row>? {
        request.row.map { row in
            ImportRow(
                userID: row.userID.echoed(),
                value: Swift.Result { () throws(Refusal) in try value(row, app) })
        }
    }
}

/// The result of a row in the message of one call.
package protocol ImportedRowResult: CodedMessage {
    /// - Parameter result: Its code is a number of the table that the call's results name.
    init(_ result: ImportRowResult, _ detail: ImportRowDetail?)
}

extension ImportRows {
    package static func response<Row, Result: ImportedRowResult>(
        _ result: ImportRowResult, _ detail: ImportRowDetail?
    ) -> Response where Response == ImportResponse<Row, Result> {
        var response = Response()
        response.answer = .row(Result(result, detail))
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

extension ImportRowResult: ImportedRowResult {
    package init(_ result: ImportRowResult, _ detail: ImportRowDetail?) {
        self = result
    }
}

extension ImportFollowsRowResult: ImportedRowResult {
    package init(_ result: ImportRowResult, _ detail: ImportRowDetail?) {
        self.init()
        rowNumber = result.rowNumber
        userID = result.userID
        code = result.code.map { FollowStatus(rawValue: $0.rawValue) }
        reason = result.reason
        info = result.info
    }
}

extension ImportProfilesRowResult: ImportedRowResult {
    package init(_ result: ImportRowResult, _ detail: ImportRowDetail?) {
        self.init()
        rowNumber = result.rowNumber
        userID = result.userID
        code = result.code.map { ProfileStatus(rawValue: $0.rawValue) }
        reason = result.reason
        info = result.info
        field = detail?.field ?? ""
    }
}
