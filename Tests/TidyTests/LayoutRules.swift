/// The rules of where code stands: folders that one can survey, no cycle across them, and files
/// that are named after the type in them.
enum LayoutRules {
    static let maxFilesPerFolder = 30

    /// A type that more other files name has a file of its own name.
    static let maxNamingFiles = 12

    /// The ends of names of files that hold several types of one kind.
    static let collections = ["Messages", "Records", "Keys", "Limits", "Promises"]

    // MARK: Folders

    static func crowdedFolders(among files: [SourceFile]) -> [String] {
        Dictionary(grouping: files, by: \.folder).filter { $0.value.count > maxFilesPerFolder }
            .map { "\($0.key) has \($0.value.count) files" }.sorted()
    }

    // MARK: Cycles

    /// A type as one folder has it: its declaration, or what an extension adds elsewhere.
    struct Node: Hashable {
        let type: String
        let folder: String
    }

    /// The cycles of types in which a target's folders depend on each other.
    static func cycles(in files: [SourceFile]) -> [String] {
        Dictionary(grouping: files) { $0.target ?? "" }.sorted { $0.key < $1.key }
            .flatMap { _, files in cyclesOfRoom(files) }
    }

    private static func cyclesOfRoom(_ files: [SourceFile]) -> [String] {
        var homes: [String: String] = [:]
        let parts = files.flatMap { file in
            Declarations.outermost(in: file).map { (file: file, part: $0) }
        }
        for (file, part) in parts where part.isType { homes[part.name] = file.folder }
        var uses: [Node: Set<Node>] = [:]
        for (file, part) in parts {
            let node = Node(type: part.name, folder: file.folder)
            let others = part.words.subtracting([part.name]).compactMap { word in
                homes[word].map { Node(type: word, folder: $0) }
            }
            uses[node, default: []].formUnion(others)
        }
        return components(of: uses).compactMap { nodes in
            guard Set(nodes.map(\.folder)).count > 1 else { return nil }
            return nodes.map { "\($0.folder)/\($0.type)" }.sorted().joined(separator: ", ")
        }.sorted()
    }

    /// The sets of nodes that reach each other, by Tarjan's algorithm.
    private static func components(of uses: [Node: Set<Node>]) -> [[Node]] {
        var search = ComponentSearch(uses: uses)
        for node in uses.keys { search.visit(node) }
        return search.found
    }

    private struct ComponentSearch {
        let uses: [Node: Set<Node>]
        var found: [[Node]] = []
        private var numbers: [Node: Int] = [:]
        private var lowest: [Node: Int] = [:]
        private var path: [Node] = []
        private var onPath: Set<Node> = []

        init(uses: [Node: Set<Node>]) {
            self.uses = uses
        }

        mutating func visit(_ node: Node) {
            guard numbers[node] == nil else { return }
            let number = numbers.count
            (numbers[node], lowest[node]) = (number, number)
            path.append(node)
            onPath.insert(node)
            var low = number
            for next in uses[node] ?? [] {
                visit(next)
                if onPath.contains(next) { low = min(low, lowest[next] ?? low) }
            }
            lowest[node] = low
            guard low == number, let start = path.firstIndex(of: node) else { return }
            found.append(Array(path[start...]))
            onPath.subtract(path[start...])
            path.removeSubrange(start...)
        }
    }

    // MARK: Names

    /// A file is named after a type in it.
    ///
    /// `Type+Topic` extends the type. A file of functions alone may have any name.
    static func misnamedFiles(in file: SourceFile) -> [Finding] {
        let name = file.path.split(separator: "/").last.map { String($0.dropLast(6)) } ?? ""
        let parts = Declarations.outermost(in: file)
        let types = parts.filter { $0.isType || $0.isExtension }
        guard !types.isEmpty, name != "main", name != "Package" else { return [] }
        let stem = String(name.prefix { $0 != "+" })
        if types.contains(where: { $0.name == stem || $0.path.contains(stem) }) { return [] }
        if collections.contains(where: stem.hasSuffix) { return [] }
        return [Finding(file, 1, "no type \(stem) in the file that is named after it")]
    }

    /// The types that many files name, and that stand in a file of another name.
    static func typesWithoutAFile(in files: [SourceFile]) -> [String] {
        var namings: [String: Int] = [:]
        for file in files {
            let words = Set(file.tokens.map(\.text)).filter { $0.first?.isUppercase == true }
            for word in words { namings[word, default: 0] += 1 }
        }
        return files.flatMap { file -> [String] in
            let stem = String(
                (file.path.split(separator: "/").last ?? "").prefix { !"+.".contains($0) })
            guard !collections.contains(where: stem.hasSuffix) else { return [] }
            return Declarations.outermost(in: file).compactMap { part in
                let count = (namings[part.name] ?? 1) - 1
                guard part.isType, !part.isPrivate, part.name != stem, count > maxNamingFiles
                else { return nil }
                return "\(count) files name \(part.name), which stands in \(file.path)"
            }
        }.sorted()
    }
}

extension LayoutRules {
    /// The names that several types have, each with its reason.
    static let sharedNames: [String: String] = [
        "Limits": "each target has its own, and code names those of its target alone",
        "Schema": "the field's word for a message's fields and for a database's tables",
    ]

    /// The names of types that stand in several places.
    ///
    /// A type inside another has the other's name before its own, and a private one is seen in its
    /// file alone: neither counts. A typealias that offers a type of another module under its own
    /// name is the same type.
    static func namesOfSeveralTypes(in files: [SourceFile]) -> [String: [String]] {
        var places: [String: [String]] = [:]
        for file in files {
            for part in Declarations.outermost(in: file)
            where part.isType && !part.isPrivate && !part.isRedeclaration {
                places[part.name, default: []].append(file.path)
            }
        }
        return places.filter { $0.value.count > 1 }
    }
}

extension SourceFile {
    /// The path of the folder that holds the file.
    var folder: String {
        path.split(separator: "/").dropLast().joined(separator: "/")
    }
}
