import Storage
import StorageSuite
import Testing

@Suite struct KeyTests {
    @Test(
        arguments: [
            ([1], [2]), ([1, 0xFF], [2]), ([0xFE, 0xFF, 0xFF], [0xFF]), ([0, 0], [0, 1]),
        ] as [([UInt8], [UInt8])])
    func theBoundAfterAPrefixIsTheLeastAboveIt(_ prefix: [UInt8], _ bound: [UInt8]) {
        #expect(KeyRange.after(prefix) == bound)
    }

    @Test func noPartitionIsAPrefixOfAnother() {
        let names = ["", "a", "aa", "ab", "b"]
        for one in names {
            for other in names where one != other {
                #expect(!Partition(other).bytes.starts(with: Partition(one).bytes))
            }
        }
    }

    @Test func keysOfAListComeBackAsTheyWere() {
        let keys = [Partition("a").key("x"), Partition("bb").key(""), Partition("").key("long")]
        let list = KeyList(keys)
        #expect(list.count == 3)
        for (index, key) in keys.enumerated() { #expect(list[index] == key) }
    }
}
