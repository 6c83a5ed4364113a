import Memory
import Protobuf
import Storage
import Testing

/// Keys in the memory of a call are the keys that a list has.
struct StagedKeysTests {
    @Test func aStagedKeyIsTheKeyOfItsTable() throws {
        try Arena.temporary { arena in
            let names = ["a", "", String(repeating: "x", count: 64)]
            var staged = try #require(StagedKeys(keys: 9, bytes: 9 * 140, in: arena))
            var keys: [Key] = []
            for owner in names {
                for other in names {
                    let mine = try #require(arena.text(owner))
                    staged.append(app: 0x0102_0304, mine, kind: 17, try #require(arena.text(other)))
                    let partition = Partition(app: 0x0102_0304, name: owner.utf8)
                    keys.append(Key(partition, suffix: [17] + Array(other.utf8)))
                }
            }
            #expect(staged.count == keys.count)
            for (index, key) in keys.enumerated() {
                #expect(Array(staged[index]) == key.bytes)
                #expect(staged.list[index] == key)
            }
        }
    }

    @Test func aFullArenaHasNoRoom() {
        Arena.temporary(capacity: 4_096) { arena in
            #expect(StagedKeys(keys: 1_000, bytes: 100, in: arena) == nil)
            #expect(StagedKeys(keys: 10, bytes: 5_000, in: arena) == nil)
        }
    }
}
