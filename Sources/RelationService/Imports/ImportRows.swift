package import Protobuf
package import RPC
package import RelationAPI
package import RelationCore

/// The rows of one kind of import: how its messages become rows, and its rows become writes.
package protocol ImportRows: SendableMetatype {
    associatedtype Request: CodedMessage
    associatedtype Response: CodedMessage
    associatedtype Row
    /// The table of codes in which rows are answered.
    associatedtype Code: OutcomeCode

    /// The name of the call.
    static var name: String { get }

    /// Returns what the message sets for the import as a whole.
    static func setup(_ request: Request) -> ImportSetup

    /// Returns the row of a message, checked by itself; nil if it has none.
    static func row(_ request: Request, _ app: App) -> ImportRow<Row, Code>?

    static func addKeys(_ row: Row, _ app: App, to keys: inout KeyList)

    /// Writes the row, or refuses it and changes nothing; a dry run only checks it.
    static func apply(
        _ row: Row, _ setup: ImportSetup, _ trail: inout ImportTrail, in ledger: Ledger
    ) throws(StorageError) -> Outcome<Code>

    static func response(_ row: ImportRowOutcome<Code>) -> Response
    static func response(_ progress: ImportProgress) -> Response

    /// Whether an import of this kind may be a dry run.
    static var takesDryRuns: Bool { get }

    /// Returns the error with which the row of number 1 ends the import before anything is written.
    static func refusal(ofFirst row: Row) -> RPCError?

    /// Adds the rows that ``refusal(in:)`` reads.
    static func addOpeningKeys(_ app: App, to keys: inout KeyList)

    /// Returns the error with which an import ends that has written nothing yet.
    static func refusal(in ledger: Ledger) throws(StorageError) -> RPCError?
}

extension ImportRows {
    package static var takesDryRuns: Bool { false }

    package static func refusal(ofFirst row: Row) -> RPCError? { nil }

    package static func addOpeningKeys(_ app: App, to keys: inout KeyList) {}

    package static func refusal(in ledger: Ledger) throws(StorageError) -> RPCError? { nil }
}
