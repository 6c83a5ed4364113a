public import FoundationEssentials
public import Protobuf
public import RelationAPI

// `localizedDescription`, which many programs print, says what happened. Without this it would be
// "The operation could not be completed".

extension CallError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

extension OptionsError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

extension AddressError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

extension ListRefusal: LocalizedError {
    /// The code and the reason.
    public var errorDescription: String? { "\(self)" }
}

extension MessageError: LocalizedError {
    /// The reason in words.
    public var errorDescription: String? { "\(self)" }
}
