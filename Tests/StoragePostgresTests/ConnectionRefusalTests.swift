import Testing

@testable import StoragePostgres

/// The reading of libpq's longest messages.
@Suite struct ConnectionRefusalTests {
    @Test(arguments: [
        (
            """
            connection to server at "127.0.0.1", port 5432 failed: FATAL:  28P01: password \
            authentication failed for user "anna"
            LOCATION:  auth_failed, auth.c:329
            """, "28P01", "password authentication failed for user \"anna\""
        ),
        (
            """
            connection to server at "::1", port 5432 failed: Connection refused
            connection to server at "127.0.0.1", port 5432 failed: FATALE:  3D000: il database \
            "x" non esiste
            POSIZIONE:  InitPostgres, postinit.c:941
            """, "3D000", "il database \"x\" non esiste"
        ),
    ])
    func theCodeIsFoundInAnyLanguage(message: String, state: String, words: String) {
        let failure = ConnectionRefusal.failure(in: message)
        #expect(failure?.state == state)
        #expect(failure?.words == words)
    }

    @Test(arguments: [
        "", "connection to server at \"127.0.0.1\", port 1 failed: Connection refused",
        "fe_sendauth: no password supplied", "LOCATION:  auth_failed, auth.c:329", "FATAL:  28P01",
        "FATAL:  28p01: x",
    ])
    func aMessageWithoutACodeHasNone(message: String) {
        #expect(ConnectionRefusal.failure(in: message) == nil)
    }
}
