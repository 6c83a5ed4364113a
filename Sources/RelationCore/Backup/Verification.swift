package import Backups
import Protobuf
import RelationModel
package import Storage

/// The findings of a look at every row of a store that no server has open.
package struct Verification {
    /// The rows of the engine, whatever they are.
    package private(set) var rows: Int64 = 0
    /// The accounts of all apps that take calls.
    package private(set) var users: Int64 = 0
    /// The errors, in words; no more than ``Limits/listedErrors`` of them.
    package private(set) var errors: [String] = []
    package private(set) var errorCount = 0
    package private(set) var counts: [BackupCounts] = []

    package init() {}

    /// Reads every row, and compares those of each app with each other.
    ///
    /// - Parameters:
    ///   - expected: The amounts that a manifest says; nil if there is none.
    ///   - progress: Is called with the rows that have been read, from time to time.
    /// - Throws: ``StorageError`` with the code `corrupted` if a file cannot be read, or a row not
    ///   decoded.
    package mutating func run(
        _ snapshot: any Snapshot, expected: [BackupCounts]?, progress: (Int64) -> Void
    ) throws(StorageError) {
        try readAll(snapshot, progress)
        let apps = try snapshot.read { (transaction) throws(StorageError) in
            try AppRules.list(after: 0, limit: .max, in: transaction)
        }
        for (id, record) in apps where record.state == .active {
            try check(App(id: id, settings: record.effectiveSettings), snapshot)
        }
        counts = try snapshot.read { (transaction) throws(StorageError) in
            try BackupContent.counts(in: transaction)
        }
        guard let expected, expected != counts else { return }
        for app in Set((expected + counts).map(\.app)).sorted() {
            let said = expected.first { $0.app == app }
            let found = counts.first { $0.app == app }
            if said != found { add("app \(app): its amounts are not those of the list of files") }
        }
    }

    /// Reads every row of the engine, which compares each block with its checksum.
    private mutating func readAll(
        _ snapshot: any Snapshot, _ progress: (Int64) -> Void
    ) throws(StorageError) {
        var last: [UInt8] = []
        var strays: Int64 = 0
        while true {
            var found = 0
            let from = last
            try snapshot.read { (transaction) throws(StorageError) in
                try transaction.scan(
                    KeyRange(after: from), .ascending, limit: Limits.verifiedRows
                ) { key, _ in
                    found += 1
                    if Key(scanned: key) == nil { strays += 1 }
                    if found == Limits.verifiedRows { last = Array(key) }
                    return .more
                }
            }
            rows += Int64(found)
            progress(rows)
            if found < Limits.verifiedRows { break }
        }
        if strays > 0 { add("\(strays) rows belong to no partition") }
    }

    private mutating func check(_ app: App, _ snapshot: any Snapshot) throws(StorageError) {
        var walk = IntegrityWalk(app)
        while true {
            let part = try snapshot.read { (transaction) throws(StorageError) in
                try walk.next(in: transaction)
            }
            switch part {
            case nil: return
            case .users(let count): users += Int64(count)
            case .user(_, let findings): for finding in findings { add(finding, app) }
            case .followers(_, let part): for finding in part.findings { add(finding, app) }
            case .mentions(_, let part): for finding in part.findings { add(finding, app) }
            case .counts(let missing):
                if missing != nil { add("app \(app.id): its counts differ from its rows") }
            case .uniqueIDs(let strays):
                for stray in strays {
                    add("app \(app.id): no profile has the unique id \(stray.id.text)")
                }
            case .invitations(let strays):
                for stray in strays {
                    add("app \(app.id): no user has the invitation \(stray.id.text)")
                }
            case .foundNames(let strays):
                for stray in strays {
                    add("app \(app.id): the index of names has a row too many of \(stray.user)")
                }
            case .contacts(let strays):
                for stray in strays {
                    add("app \(app.id): the index of contacts has a digest of \(stray.user)")
                }
            case .feed(let finding), .sessions(let finding), .suspensions(let finding),
                .reports(let finding), .reviews(let finding), .hooks(let finding):
                if let finding { add(finding, app) }
            case .history(let part): for finding in part.findings { add(finding, app) }
            case .audit(let part): for finding in part.findings { add(finding, app) }
            }
        }
    }

    private mutating func add(_ finding: Integrity.Finding, _ app: App) {
        let user = finding.user.map { ", user \($0.text)" } ?? ""
        let other = finding.other.map { ", about \($0.text)" } ?? ""
        let fault = finding.fault.name ?? "fault \(finding.fault.rawValue)"
        add("app \(app.id)\(user): \(fault) in \(finding.subject)\(other)")
    }

    private mutating func add(_ error: String) {
        errorCount += 1
        if errors.count < Limits.listedErrors { errors.append(error) }
    }
}
