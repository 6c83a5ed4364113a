public import Protobuf

/// The accounts of an app.
public enum AccountMethods {
    private static let service: StaticString = "relation.v1.AccountService"

    /// Makes accounts from a stream of rows.
    public static let importAccounts = Method<
        ImportAccountsRequest, ImportAccountsResponse
    >(service, "ImportAccounts", .write, for: .administrators, shape: .bidirectional)
}
