import PostgresSupport
import StoragePostgres
import StorageSuite
import Testing

@Suite(.enabled(if: PostgresEngine.isThere)) struct PostgresTests {
    @Test(arguments: storagePromises)
    func theDatabaseKeeps(_ promise: Promise) throws {
        try promise.check(try PostgresEngine())
    }
}
