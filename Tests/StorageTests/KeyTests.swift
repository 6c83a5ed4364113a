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

    @Test func aListKnowsWhichOfItsKeysArePossibleOnly() {
        let (ann, bob) = (Partition("ann"), Partition("bob"))
        var list = KeyList([ann.key("sure")])
        list.addPossible { keys in
            keys.append(ann.key("maybe"))
            keys.append(bob.key("maybe"))
        }
        list.append(bob.key("sure"))
        #expect((0..<4).map(list.isPossible) == [false, true, true, false])
        var whole = KeyList([ann.key("first")])
        whole.append(list)
        #expect((0..<5).map(whole.isPossible) == [false, false, true, true, false])
        #expect(whole[3] == bob.key("maybe"))
        #expect(whole.partitions == [ann, bob])
    }
}
