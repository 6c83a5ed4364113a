import Glibc

/// The folders that a start makes for its data, so that one that fails leaves nothing.
struct FreshFolder {
    /// The folder of the data, and those above it, as far as they were not there before.
    ///
    /// The deepest comes first.
    private let missing: [String]

    /// Looks which folders are missing, before a start makes them.
    init(_ path: String) {
        var missing: [String] = []
        var rest = Substring(path)
        while true {
            while rest.count > 1, rest.hasSuffix("/") { rest.removeLast() }
            guard !rest.isEmpty, access(String(rest), F_OK) != 0, errno == ENOENT else { break }
            missing.append(String(rest))
            guard let slash = rest.lastIndex(of: "/") else { break }
            rest = rest[..<slash]
        }
        self.missing = missing
    }

    /// Removes the folders that were missing before; what was there stays.
    ///
    /// Only a start that took no call may ask for it, after it has closed its store. A folder above
    /// the data goes only if it is empty.
    func remove() {
        guard let data = missing.first else { return }
        Self.remove(data)
        for folder in missing.dropFirst() { rmdir(folder) }
    }

    /// Removes a folder with all that it holds.
    static func remove(_ folder: String) {
        empty(folder)
        rmdir(folder)
    }

    /// Removes what a folder holds; a link goes, and what it leads to stays.
    private static func empty(_ folder: String) {
        guard let entries = opendir(folder) else { return }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            let path = "\(folder)/\(name)"
            if unlink(path) != 0 {
                empty(path)
                rmdir(path)
            }
        }
    }
}
