public import Protobuf

/// Every call of the contract, for programs that learn only at run time which one they make.
public enum ContractMethods {
    /// The calls in the order of the contract.
    public static let all: [any ContractMethod] = ServiceTable.all.map(\.typed)
}
