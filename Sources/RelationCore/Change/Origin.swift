package import RelationModel

/// The origin of a change: the user, the device and the request id.
package struct Origin: Sendable {
    /// The acting user; nil if an administrator, who is not a user, makes the change.
    package let user: UserID?
    package var deviceID = ""
    package var requestID = ""
    /// Whether ``requestID`` names an import: the history has it then, and no event does.
    package var isImport = false
    /// The kind of credential with which the call was made.
    package var caller = CallerKind.server
    /// The administrator of TIM's REST API whose signature opened the call; empty without one.
    package var administrator = ""
    /// The credential and address that a history keeps of the call; nil if the server itself makes
    /// the change.
    package var source: CallSource?

    package init(
        user: UserID?, deviceID: String = "", requestID: String = "",
        caller: CallerKind = .server, administrator: String = "",
        source: CallSource? = nil, isImport: Bool = false
    ) {
        self.user = user
        self.caller = caller
        self.administrator = administrator
        self.source = source
        self.isImport = isImport
        self.deviceID = deviceID
        self.requestID = requestID
    }
}
