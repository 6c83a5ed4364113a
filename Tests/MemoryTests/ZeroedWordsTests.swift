import Memory
import Synchronization
import Testing

struct ZeroedWordsTests {
    @Test func wordsAreZeroAndAreAtomicWordsFromThenOn() {
        let count = 1 << 16
        let words = ZeroedWords.allocate(count)
        defer { ZeroedWords.free(words) }
        #expect((0..<count).allSatisfy { words[$0].load(ordering: .relaxed) == 0 })
        for number in 0..<count {
            words[number].store(UInt32(number) &+ 1, ordering: .relaxed)
        }
        #expect(
            (0..<count).allSatisfy { words[$0].exchange(7, ordering: .relaxed) == UInt32($0) &+ 1 })
        #expect(words[count - 1].load(ordering: .relaxed) == 7)
    }
}
