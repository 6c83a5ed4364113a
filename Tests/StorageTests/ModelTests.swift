import Storage
import StorageSuite
import Testing

@Suite struct ModelTests {
    @Test(arguments: storagePromises)
    func theModelKeeps(_ promise: Promise) throws {
        try promise.check(MemoryEngine())
    }

    @Test func theModelsRowsStaySorted() throws {
        let store = MemoryStore()
        let partition = Partition("ann")
        var numbers = SeededNumbers(seed: 5)
        for _ in 0..<500 {
            let key = partition.key("\(Int.random(in: 0..<50, using: &numbers))")
            let isSet = Bool.random(using: &numbers)
            try store.write(touching: [partition]) { transaction in
                if isSet { transaction.set(key, "x") } else { transaction.remove(key) }
            }
            store.checkInvariants()
        }
    }
}
