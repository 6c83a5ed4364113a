import Glibc

/// The room on a device.
enum DiskSpace {
    /// The bytes of a file with so many friendships: two ids of at most ten digits a line.
    static func file(friendships: Int) -> Int { 22 * friendships }

    /// The bytes for graphs of these sizes, which are measured one after another.
    ///
    /// The smallest graph stays beside each of the others.
    static func graphs(_ friendships: [Int]) -> Int {
        let most = friendships.max() ?? 0
        let least = friendships.min() ?? 0
        return (most + 2 * least) * GrowthLimits.bytesPerFriendship + GrowthLimits.bytesBeside
    }

    /// Says how much is needed at `path`, and how much there is.
    ///
    /// - Throws: ``FloodError`` if there is not enough.
    static func require(_ bytes: Int, at path: String, print: (String) -> Void) throws(FloodError) {
        // The file may not be there yet, but its folder is.
        var folder = path[...]
        while !folder.isEmpty, access(String(folder), F_OK) != 0 {
            folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
        }
        var room = statvfs()
        let directory = !folder.isEmpty ? String(folder) : path.hasPrefix("/") ? "/" : "."
        guard statvfs(directory, &room) == 0 else { throw FloodError(system: path) }
        let free = Int(room.f_bavail) * Int(room.f_frsize)
        print(
            "needs up to \(mebibytes(bytes)) MiB at \(path), where \(mebibytes(free)) MiB are free")
        guard free >= bytes else {
            throw FloodError(
                "\(path) has \(mebibytes(free)) MiB free, and \(mebibytes(bytes)) MiB may be needed"
            )
        }
    }

    private static func mebibytes(_ bytes: Int) -> Int { (bytes + (1 << 20) - 1) >> 20 }

    /// The bytes of all files in a folder.
    static func used(by folder: String) throws(FloodError) -> Int {
        let lines = try Tool.lines(
            "/usr/bin/du", ["--summarize", "--apparent-size", "--block-size=1", folder])
        guard let bytes = lines.first?.split(separator: "\t").first.flatMap({ Int($0) }) else {
            throw FloodError("the size of \(folder) is not known")
        }
        return bytes
    }
}
