import Protobuf
import RelationAPI
import RelationClient

/// An answer of an import: the result of a row, or the progress.
protocol ImportAnswer: Message {
    associatedtype RowResult: RefusedResult

    var rowResult: RowResult? { get }
    var progressMade: ImportProgress? { get }
}

extension ImportResponse: ImportAnswer where Result: RefusedResult {
    var rowResult: Result? {
        if case .row(let row) = answer { row } else { nil }
    }
    var progressMade: ImportProgress? {
        if case .progress(let progress) = answer { progress } else { nil }
    }
}

/// The result of a row of an import, whatever table its code is of.
protocol RefusedResult: Message {
    var rowNumber: Int64 { get set }
    var userID: String { get }
    var info: String { get }
    /// The number of the code; nil if it was not set.
    var codeNumber: Int32? { get }
    var codeName: String? { get }
    /// The field that was refused; empty if the result names none.
    var refusedField: String { get }
}

extension ImportRowResult: RefusedResult {
    var codeNumber: Int32? { code?.rawValue }
    var codeName: String? { code?.name }
    var refusedField: String { "" }
}

extension ImportFollowsRowResult: RefusedResult {
    var codeNumber: Int32? { code?.rawValue }
    var codeName: String? { code?.name }
    var refusedField: String { "" }
}

extension ImportProfilesRowResult: RefusedResult {
    var codeNumber: Int32? { code?.rawValue }
    var codeName: String? { code?.name }
    var refusedField: String { field }
}
