import Foundation
import PeerSupport
import Testing

/// Every reader of untrusted bytes keeps its promises on the stored inputs, and on some new ones.
struct CorpusTests {
    /// Bytes of all inputs together: every clone of the repository has them.
    private static let corpusBytes = 300_000

    @Test(arguments: FuzzTarget.all.map(\.name))
    func everyKeptInputIsBorne(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try Corpus.inputs(of: target)
        #expect(!inputs.isEmpty)
        for input in inputs {
            #expect(throws: Never.self, "\(input.name)") { try target.check(input.bytes) }
            #expect(input.bytes.count <= target.maxBytes, "\(input.name) is cut off")
        }
    }

    /// With `RELATION_SEED=n` it tries the same inputs again.
    @Test(arguments: FuzzTarget.all.map(\.name))
    func newInputsAreBorne(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let given = ProcessInfo.processInfo.environment["RELATION_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1_000_000_000)
        var random = SeededNumbers(seed: seed)
        var inputs = try Corpus.inputs(of: target).map(\.bytes)
        let mutation = Mutation(form: target.form, maxBytes: target.maxBytes)
        for number in 0..<300 {
            var input = try #require(inputs.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let bytesSeed = random.next()
                input = mutation.apply(to: input, &random) { bytes, limit in
                    var random = SeededNumbers(seed: bytesSeed)
                    return Mutation.change(bytes, limit: limit, &random)
                }
            }
            do {
                try target.check(input)
            } catch {
                let file = FileManager.default.temporaryDirectory
                    .appendingPathComponent("\(name)-\(seed)-\(number)")
                try Data(input).write(to: file)
                Issue.record(
                    "RELATION_SEED=\(seed), input \(number), kept as \(file.path): \(error)")
                return
            }
            if inputs.count < 200 { inputs.append(input) }
        }
    }

    @Test func theInputsAreSmall() throws {
        let inputs = try FuzzTarget.all.flatMap(Corpus.inputs)
        #expect(inputs.reduce(0) { $0 + $1.bytes.count } <= Self.corpusBytes)
    }

    @Test func aBrokenPromiseIsNoticed() throws {
        let target = FuzzTarget(name: "picky", form: .bytes, maxBytes: 9) { bytes in
            try require(bytes != [7], "it is 7")
        }
        #expect(throws: Never.self) { try target.check([8]) }
        #expect(throws: Broken.self) { try target.check([7]) }
    }

    @Test func changedFramesAreStillFrames() throws {
        let bytes = Frame.preface.dropFirst(24) + Frame.ping(3).bytes + [1, 2]
        let list = FrameList(bytes)
        #expect(list.frames.map(\.kind) == [.settings, .ping])
        #expect(list.rest == [1, 2])
        #expect(list.bytes == Array(bytes))
        #expect(throws: Broken.self) { try SentFrames([1, 2], settingsFirst: true) }
        let late = Frame.data(1, [], end: true).bytes + Frame.data(1, []).bytes
        #expect(throws: Broken.self) { try SentFrames(late, settingsFirst: false) }
    }
}
