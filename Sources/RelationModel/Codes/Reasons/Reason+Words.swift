extension Reason {
    /// A sentence about a reason; those of several reasons have a name, and stand here.
    struct Words: ExpressibleByStringLiteral, Sendable {
        let text: String

        private init(_ text: String) {
            self.text = text
        }

        init(stringLiteral text: String) {
            self.text = text
        }

        /// A longer sentence, in pieces.
        static func + (one: Words, other: Words) -> Words { Words(one.text + other.text) }

        // MARK: Meanings

        static let userIDIllegal: Words = "`user_id` is malformed."
        static let noAccount: Words = "the user is not an account of the app."
        static let forbiddenWord: Words = "a text holds a word that the app forbids."
        static let oneself: Words = "the user is the caller."
        static let permissionIllegal: Words = "the name of the permission is malformed."
        static let remarkTooLong: Words = "the remark is too long."
        static let tooManyGroups: Words =
            "the owner would have more friend groups than the app allows."
        static let markIllegal: Words = "`pin_order` or `mute_until_ms` is negative."
        static let noPermission: Words = "the app has no such permission."
        static let customIllegal: Words =
            "a custom value is of the wrong kind or too long, or its key is given twice."
        static let noCustomField: Words = "the app has no custom field of that key."
        static let noFriend: Words = "the user is not a friend of the caller."
        static let listFull: Words = "the caller's friend list is full."
        static let noApplication: Words = "no application of the two waits on that side."
        static let otherApplication: Words =
            "an application waits that is not the one that `application_ids` names."
        static let codeIllegal: Words = "`invitation_code` has not the form of a code."
        static let inviterSuspended: Words = "the inviter is suspended, and no user adds it."
        static let noInvitation: Words =
            "there is no invitation of that code, or it was revoked."
        static let sentTooMany: Words =
            "the caller has sent as many applications in this window as the app allows."
        static let receivedTooMany: Words =
            "as many applications came in to the other user in this window as the app allows."
        static let refusedBefore: Words =
            "the other user refused the caller, and the app's time after that is not over."
        static let accountTooNew: Words =
            "the caller's account is newer than the app allows for adding users."
        static let wordingTooLong: Words = "the wording is too long."
        static let sourceIllegal: Words =
            "`source` is not `AddSource_Type_` and 1 to 8 letters."
        static let customNotWritable: Words =
            "only an administrator may write a custom field."
        static let groupsIllegal: Words =
            "a group's name is empty or too long, or is given twice."

        // MARK: Advice

        static let correctIt: Words = "Correct it before another try."
        static let correctID: Words = "Correct the id."
        static let correctRow: Words = "Correct the row."
        static let importAccount: Words = "Import the account first, or drop the user."
        static let dropUser: Words = "Drop the user."
        static let takeAsDone: Words = "Take it as done."
        static let shorten: Words = "Shorten it."
        static let leaveCallerOut: Words = "Leave the caller out."
        static let askForText: Words = "Ask the user for another text."
        static let doNotDeliver: Words = "Do not deliver the message."
        static let deleteGroup: Words = "Delete a group, or name one that exists."
        static let leaveOut: Words = "Leave it out."
        static let readPendencies: Words = "Read the pendencies again."
        static let defineFirst: Words = "Define it first, or leave it out."
        static let needsAdmin: Words =
            "Leave the field out, or use a credential with the scope `admin`."
        static let defineCustomField: Words =
            "Define the custom field first, or leave it out."
        static let anotherName: Words = "Take another name."
        static let deleteFriends: Words = "Delete friends first."
        static let defineField: Words = "Define the field first, or leave it out."
        static let raiseLimit: Words = "Raise the limit, or leave the row out."
        static let tryNextWindow: Words =
            "Try again in the next one, by default on the next day in UTC."
        static let tryLater: Words = "Try again later."
        static let askForCode: Words = "Ask the inviter for another code."
        static let addFriend: Words = "Add the friend first."
    }
}
