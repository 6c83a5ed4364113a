import Glibc
import Migrations
import TextFiles

/// The file of the users of a RongCloud app: their ids, or a table that tells more of them.
enum RongCloudAccountFile {
    /// The columns of the table that a listing writes.
    private static let beginning = "UserID,Name,PortraitUri,RegTime"

    /// The users in the order of their bytes, each once: of a user's lines the first one counts.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, or has no user.
    static func accounts(_ path: String) throws -> [RongCloudAccount] {
        let file = try InputFile.opened(path)
        return path.lowercased().hasSuffix(".csv")
            ? try table(file) : try MigratedAccounts.lines(file, \.id, RongCloudAccount.init)
    }

    private static func table(_ file: InputFile) throws -> [RongCloudAccount] {
        let reader = CSVReader(file, nil)
        var columns: Columns?
        var listed = ListedAccounts(file, \RongCloudAccount.id)
        while let record = try reader.next() {
            switch record {
            case .broken(let line): throw Failure("\(line)")
            case .cells(let cells, let location):
                guard let known = columns else {
                    columns = try Columns(cells, location)
                    continue
                }
                try listed.add(try known.account(cells, location), line: reader.line)
            }
        }
        return try listed.sorted("UserID")
    }

    /// The indices of the columns that are read.
    private struct Columns {
        private let id: Int
        private let name: Int?
        private let portrait: Int?
        private let registration: Int?
        private let visibility: Int?

        init(_ cells: [String], _ location: String) throws {
            let names = cells.map { $0.lowercased().filter { $0 != "_" } }
            func index(_ name: String) -> Int? { names.firstIndex(of: name) }
            guard let id = index("userid") else {
                throw Failure("\(location): names no column UserID")
            }
            self.id = id
            (name, portrait) = (index("name"), index("portraituri"))
            (registration, visibility) = (index("regtime"), index("visibility"))
        }

        func account(_ cells: [String], _ location: String) throws -> RongCloudAccount {
            func text(_ index: Int?) -> String {
                index.flatMap { $0 < cells.count ? cells[$0] : nil } ?? ""
            }
            guard !text(id).isEmpty else { throw Failure("\(location): has no user id") }
            var account = RongCloudAccount(text(id))
            (account.name, account.portrait) = (text(name), text(portrait))
            (account.registration, account.visibility) = (text(registration), text(visibility))
            return account
        }
    }

    // MARK: Listing

    /// Writes the table of all users that RongCloud lists, unless there is the file already.
    static func list(_ path: String, from listing: RongCloudListing) async throws {
        guard access(path, F_OK) != 0 else { return }
        guard path.lowercased().hasSuffix(".csv") else {
            throw Failure("\(path): a list of users is written as a table, whose name ends in .csv")
        }
        let partial = path + ".part"
        let file = try LineWriter(partial)
        try file.write(beginning + "\n")
        var count = 0
        try await listing.read { users, total in
            var lines = ""
            for user in users {
                let cells = [user.id, user.name, user.portrait, user.registration]
                lines += cells.map(quoted).joined(separator: ",") + "\n"
            }
            try file.write(lines)
            count += users.count
            StandardError.print("rongcloud: lists \(count) of \(total) users")
        }
        try file.close()
        guard rename(partial, path) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            if character == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }
}
