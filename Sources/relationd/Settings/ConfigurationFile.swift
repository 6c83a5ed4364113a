import TextFiles
import Yams

/// A file with settings, in YAML: one mapping of names to single values.
enum ConfigurationFile {
    /// The settings of the file, and its errors, each with its line.
    static func read(_ path: String) -> (given: [GivenSetting], errors: [String]) {
        do throws(FatalError) {
            return items(try document(in: try text(of: path), path), path)
        } catch {
            return ([], [error.description])
        }
    }

    private static func text(of path: String) throws(FatalError) -> String {
        do throws(InputFileError) {
            return try SmallFile.text(of: path, atMost: Limits.configurationBytes)
        } catch {
            throw FatalError("\(error)")
        }
    }

    /// The mapping of the file; nil for a file without one, such as an empty file.
    private static func document(in text: String, _ path: String) throws(FatalError) -> Node? {
        do {
            return try compose(yaml: text, .default, .default, .utf8)
        } catch let error as YamlError {
            throw failure(error, path)
        } catch {
            throw FatalError("\(path) is not YAML")
        }
    }

    private static func failure(_ error: YamlError, _ path: String) -> FatalError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            FatalError("\(path):\(mark.line): \(problem)")
        case .duplicatedKeysInMapping(let names, let context):
            FatalError("\(path):\(context.mark.line): \(names.first ?? "") is given more than once")
        case .reader(let problem, let offset, _, let text):
            FatalError("\(path):\(line(at: offset ?? 0, in: text)): \(problem)")
        default: FatalError("\(path) is not YAML")
        }
    }

    /// The number of the line of a byte.
    private static func line(at offset: Int, in text: String) -> Int {
        text.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
    }

    private static func items(
        _ root: Node?, _ path: String
    ) -> (given: [GivenSetting], errors: [String]) {
        guard let root, root.scalar?.string != "" else { return ([], []) }
        guard let mapping = root.mapping else {
            return ([], ["\(path):\(root.mark?.line ?? 1): a file has one `name: value` a line"])
        }
        var given: [GivenSetting] = []
        var errors: [String] = []
        for (key, value) in mapping {
            let location = "\(path):\(key.mark?.line ?? 1)"
            guard let name = key.scalar?.string else {
                errors.append("\(location): a name is one word")
                continue
            }
            guard let setting = Setting.named(name) else {
                let shown = name.prefix(Limits.shownCharacters)
                errors.append("\(location): there is no setting '\(shown)'\(likely(name))")
                continue
            }
            guard let text = value.scalar?.string else {
                errors.append(
                    "\(location): \(name) takes \(setting.rule), and not a list or mapping")
                continue
            }
            given.append(GivenSetting(setting, text, .file(path: path, line: key.mark?.line ?? 1)))
        }
        return (given, errors)
    }

    /// A hint for names with other dashes or letters.
    private static func likely(_ name: String) -> String {
        let plain = name.lowercased().filter(\.isLetter)
        let like = Setting.all.first { $0.name.filter(\.isLetter) == plain }
        return like.map { "; \($0.name) is one" } ?? ""
    }
}
