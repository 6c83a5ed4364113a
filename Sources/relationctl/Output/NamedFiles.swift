import ArgumentParser
import Glibc

/// A file by the words that name it on the command line.
struct NamedFile {
    let words: PlainText
    let path: String

    /// - Returns: Nil if the option was not given.
    init?(_ words: PlainText, _ path: String?) {
        guard let path else { return nil }
        (self.words, self.path) = (words, path)
    }
}

/// The files that the options of a command name.
enum NamedFiles {
    /// Checks that each file that is written is neither read nor written for another option.
    ///
    /// A file that is opened to be written loses what it has.
    ///
    /// Files are one if their paths lead to the same place, or if they have the same device and
    /// inode. Devices, pipes and standard input are not compared.
    ///
    /// A file that is written has a name: `-`, which other programs take for standard output, is
    /// refused, since such a file grows under another name or is gone on with.
    ///
    /// - Throws: `ValidationError` that names the option, or both.
    static func mustDiffer(reading: [NamedFile?] = [], writing: [NamedFile?]) throws {
        var known = reading.compactMap { $0 }.filter { $0.path != "-" }
            .map { (named: $0, target: PathTarget($0.path)) }
        for named in writing.compactMap({ $0 }) {
            try mustBeFile(named.words, named.path)
            let target = PathTarget(named.path)
            for other in known where target.isSame(as: other.target) {
                throw ValidationError(
                    "\(other.named.words.description) and \(named.words.description) must name "
                        + "two files")
            }
            known.append((named, target))
        }
    }

    /// - Throws: `ValidationError` that names the option, if the path is `-`, empty or a folder. A
    ///   file that takes its name at the end would fail after all the work.
    static func mustBeFile(_ words: PlainText, _ path: String) throws {
        guard !path.isEmpty, path != "-" else {
            throw ValidationError(
                "\(words.description) must name a file: this command does not write to standard "
                    + "output")
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        throw ValidationError("\(words.description) must name a file: \(path) is a folder")
    }

    /// The files that a command writes for an option `--to`: the one that grows, and the one that
    /// it becomes.
    static func growing(_ words: PlainText, _ path: String?) -> [NamedFile?] {
        [NamedFile(words, path), NamedFile("\(words) with .part", path.map { $0 + ".part" })]
    }

    /// The file to which a path leads, or will lead when it is made.
    private struct PathTarget {
        /// The path without links.
        private let path: String
        /// The file's device and inode; nil if there is no such file.
        private let file: (device: dev_t, inode: ino_t)?
        private let isDevice: Bool

        init(_ path: String) {
            self.path = Self.resolved(path, links: 0)
            var status = stat()
            guard stat(path, &status) == 0 else {
                (file, isDevice) = (nil, false)
                return
            }
            file = (status.st_dev, status.st_ino)
            isDevice = ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        }

        func isSame(as other: PathTarget) -> Bool {
            guard !isDevice, !other.isDevice else { return false }
            if path == other.path { return true }
            guard let file, let otherFile = other.file else { return false }
            return file == otherFile
        }

        /// The path without links; its last part may be missing, as before a file is made.
        private static func resolved(_ path: String, links: Int) -> String {
            if let real = realpath(path, nil) {
                defer { free(real) }
                return String(cString: real)
            }
            let (folder, name) = parts(path)
            // A link to a file that is made later.
            if links < Limits.followedLinks, let target = target(of: path) {
                return resolved(
                    target.hasPrefix("/") ? target : "\(folder)/\(target)", links: links + 1)
            }
            guard let real = realpath(folder, nil) else { return path }
            defer { free(real) }
            let parent = String(cString: real)
            return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
        }

        /// The folder of a path, and the name in it.
        private static func parts(_ path: String) -> (folder: String, name: String) {
            guard let slash = path.lastIndex(of: "/") else { return (".", path) }
            let folder = String(path[..<slash])
            return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
        }

        /// Where a link leads; nil if the path is none.
        private static func target(of path: String) -> String? {
            var bytes = [CChar](repeating: 0, count: Limits.pathBytes)
            let count = readlink(path, &bytes, bytes.count)
            guard count > 0 else { return nil }
            return String(
                decoding: bytes.prefix(count).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        }
    }
}
