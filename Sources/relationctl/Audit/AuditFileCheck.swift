import Digests
import Protobuf
import RelationAPI
import RelationModel
import Support

/// A look at the records of an audit, one after another: whether each is as it was made, and none
/// is missing.
struct AuditFileCheck {
    /// The hash that some record must have; nil if none is asked for.
    private let head: String?
    /// The hash of the record before the first one; nil if it is not known.
    private let after: String?

    /// The bytes of each salt, as the contract says.
    private static let saltBytes = 16

    private var first: AuditRecord?
    private var last: AuditRecord?
    private var hasHead = false
    /// Whether a record says that those before the first one were removed because they were old.
    private var isBeginningTrimmed = false
    /// The ranges of records of which an erasure has removed a name, up to
    /// ``Limits/namedErasedRanges``, and how many such records there are.
    private var erasedRanges: [ClosedRange<Int64>] = []
    private var erased = 0

    init(head: String?, after: String?) {
        self.head = head
        self.after = after
    }

    /// Looks at the next record, and says what is wrong at it; nil if nothing is.
    mutating func error(of record: AuditRecord) -> PlainText? {
        let name: PlainText = "record \(record.sequence)"
        guard SHA256.digest(of: record.previousHash + record.hashedBytes) == record.hash else {
            return "\(name) was changed: its hash is not that of its fields"
        }
        if record.userID.isEmpty {
            // An erasure removes both.
            guard record.userSalt.isEmpty else {
                return "\(name) was changed: its user was removed, but not by an erasure"
            }
        } else if record.userSalt.count != Self.saltBytes
            || SHA256.digest(of: record.userSalt + Array(record.userID.utf8)) != record.userDigest
        {
            return "\(name) was changed: it was made for another user"
        }
        if let error = errorOfRequest(record, name) { return error }
        if record.isErased { addErased(record.sequence) }
        if let last {
            if let error = error(of: record, after: last, name) { return error }
        } else {
            first = record
        }
        if let first, record.kind == .trim, record.subject == first.sequence - 1,
            record.subjectHash == first.previousHash
        {
            isBeginningTrimmed = true
        }
        if String(hexadecimal: record.hash) == head { hasHead = true }
        last = record
        return nil
    }

    /// The error of the request id of a record, which is hashed by its digest.
    private func errorOfRequest(_ record: AuditRecord, _ name: PlainText) -> PlainText? {
        // A record of an older server has no digest, and the hash covers the id.
        guard !record.requestDigest.isEmpty else { return nil }
        let digest = record.requestDigest.prefix(SHA256.byteCount)
        let salt = record.requestDigest.dropFirst(SHA256.byteCount)
        if record.requestID.isEmpty {
            return salt.isEmpty
                ? nil : "\(name) was changed: its request id was removed, but not by an erasure"
        }
        guard salt.count == Self.saltBytes,
            SHA256.digest(of: salt + Array(record.requestID.utf8)).elementsEqual(digest)
        else {
            return "\(name) was changed: it was made for another request id"
        }
        return nil
    }

    private mutating func addErased(_ sequence: Int64) {
        erased += 1
        if let last = erasedRanges.last, last.upperBound == sequence - 1 {
            erasedRanges[erasedRanges.count - 1] = last.lowerBound...sequence
        } else if erasedRanges.count < Limits.namedErasedRanges {
            erasedRanges.append(sequence...sequence)
        }
    }

    private func error(
        of record: AuditRecord, after last: AuditRecord, _ name: PlainText
    ) -> PlainText? {
        guard record.sequence > last.sequence else {
            return "\(name) stands after record \(last.sequence): the order was changed"
        }
        guard record.sequence == last.sequence + 1 else {
            return "record \(last.sequence + 1) is missing: \(name) follows \(last.sequence)"
        }
        guard record.previousHash == last.hash else {
            return "\(name) was made after another record than the one before it: one was replaced"
        }
        return nil
    }

    /// The error of the file as a whole; nil if there is none.
    var errorAtEnd: PlainText? {
        guard let first, let last else {
            return "the file has no record"
        }
        if let error = errorAtBeginning(first) { return error }
        guard head == nil || hasHead else {
            return """
                no record has the hash \(head ?? ""): records after \(last.sequence) are missing, \
                or all were rewritten
                """
        }
        return nil
    }

    private func errorAtBeginning(_ first: AuditRecord) -> PlainText? {
        if let after {
            guard String(hexadecimal: first.previousHash) != after else { return nil }
            return "record \(first.sequence) does not follow the record with the hash \(after)"
        }
        if first.sequence == 1 {
            guard first.previousHash.contains(where: { $0 != 0 }) else { return nil }
            return "record 1 was changed: nothing stands before it"
        }
        guard !isBeginningTrimmed else { return nil }
        return """
            records before \(first.sequence) are missing: no record says that they were removed. \
            If the file goes on after another one, give the hash of its last record with --after
            """
    }

    /// The file for programs, if nothing is wrong with it: its first and its last record, and the
    /// hash of the last one; null where it has none.
    var data: JSONValue {
        .object([
            ("firstSequence", first.map { .string("\($0.sequence)") } ?? .null),
            ("lastSequence", last.map { .string("\($0.sequence)") } ?? .null),
            ("erased", .whole(erased)),
            ("hash", last.map { .string(String(hexadecimal: $0.hash)) } ?? .null),
        ])
    }

    /// The file in a sentence, if nothing is wrong with it.
    var summary: PlainText {
        guard let first, let last else { return "" }
        let names = erasedNames
        return """
            audit: records \(first.sequence) to \(last.sequence) are whole\(names); the last one \
            has the hash \(String(hexadecimal: last.hash))
            """
    }

    /// The records without their user or request id, by their sequences; empty if there are none.
    private var erasedNames: PlainText {
        guard erased > 0 else { return "" }
        var names: [PlainText] = erasedRanges.map { range in
            range.count == 1
                ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        }
        let named = erasedRanges.reduce(0) { $0 + $1.count }
        if named < erased { names.append("and \(erased - named) more") }
        return "; \(erased) have lost a user or a request id to an erasure: \(names.joined(", "))"
    }
}

extension AuditRecord {
    /// Whether an erasure has removed the user or the request id.
    fileprivate var isErased: Bool {
        userID.isEmpty && !userDigest.isEmpty || requestID.isEmpty && !requestDigest.isEmpty
    }
}
