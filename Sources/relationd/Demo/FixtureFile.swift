import RelationService
import TextFiles

/// The file of a fixture, whose errors say in which line they are.
struct FixtureFile: Sendable {
    let fixture: DemoFixture
    private let path: String
    private let lines: FixtureLines

    init(at path: String) throws {
        let text = try SmallFile.text(of: path, atMost: DemoLimits.fixtureBytes)
        let lines = FixtureLines(text)
        do throws(DemoFixture.FixtureError) {
            fixture = try DemoFixture(json: text)
        } catch {
            throw Self.located(error.words, path, lines) ?? FatalError("\(path): \(error.words)")
        }
        self.path = path
        self.lines = lines
    }

    /// The error with the file and the line; nil if it names no path of the file.
    func located(_ error: FatalError) -> FatalError? {
        Self.located(error.description, path, lines)
    }

    private static func located(
        _ words: String, _ path: String, _ lines: FixtureLines
    ) -> FatalError? {
        lines.line(of: words).map { FatalError("\(path): line \($0): \(words)") }
    }
}
