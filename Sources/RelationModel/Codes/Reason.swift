/// The reason for the outcome of one item, in words that never change: the `info` of a result.
///
/// Several cases share a code, most of all 30001; the reason distinguishes them. The form is TIM's,
/// `Err_SNS_<Command>_<Reason>`. Reasons that are TIM's too are marked; the others are ours. An
/// item that was done has no reason: ``none``.
public struct Reason: Sendable {
    /// The text of `info`.
    public let text: StaticString

    /// The reason of an item that was done.
    public static let none = Reason("")

    /// ImportAccounts, 0: the account was there before, and stays as it is.
    public static let existed = Reason("existed")

    private init(_ text: StaticString) {
        self.text = text
    }
}

extension Reason: Hashable, CustomStringConvertible {
    public var description: String { text.description }

    public static func == (one: Reason, other: Reason) -> Bool {
        one.description == other.description
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(description)
    }
}

extension Reason {
    /// The reasons of AddFriends.
    public enum FriendAdd {
        /// 30001: `user_id` is malformed.
        public static let userIDIllegal = Reason("Err_SNS_FriendAdd_UserId_Illegal")
        /// 30001: `remark` is too long.
        public static let remarkIllegal = Reason("Err_SNS_FriendAdd_Remark_Illegal")
        /// 30001: `wording` is too long.
        public static let wordingIllegal = Reason("Err_SNS_FriendAdd_Wording_Illegal")
        /// 30001: `source` is not of the form that TIM prescribes (TIM's).
        public static let sourceIllegal = Reason("Err_SNS_FriendAdd_Source_Illegal")
        /// 30001: `group` is too long.
        public static let groupIllegal = Reason("Err_SNS_FriendAdd_Group_Illegal")
        /// 30001: a custom value is of the wrong kind or too long, or its key is given twice.
        public static let customIllegal = Reason("Err_SNS_FriendAdd_Custom_Illegal")
        /// 40008.
        public static let customNotWritable = Reason("Err_SNS_FriendAdd_Custom_Write_Permission")
        /// 40009.
        public static let customTagNotExist = Reason("Err_SNS_FriendAdd_Custom_Tag_Not_Exist")
        /// 30001: the user stands earlier in the request, with other content.
        public static let duplicate = Reason("Err_SNS_FriendAdd_Duplicate")
        /// 30001: the user is the caller.
        public static let oneself = Reason("Err_SNS_FriendAdd_Self")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_FriendAdd_Account_Not_Exist")
        /// 30009.
        public static let denied = Reason("Err_SNS_FriendAdd_Admin_Forbid")
        /// 30515.
        public static let inSelfBlacklist = Reason("Err_SNS_FriendAdd_In_Self_BlackList")
        /// 30525.
        public static let inPeerBlacklist = Reason("Err_SNS_FriendAdd_In_Peer_BlackList")
        /// 30001: every row to make exists (TIM's).
        public static let friendExist = Reason("Err_SNS_FriendAdd_Friend_Exist")
        /// 30005.
        public static let sensitiveText = Reason("Err_SNS_FriendAdd_Sensitive_Text")
        /// 30540.
        public static let restricted = Reason("Err_SNS_FriendAdd_Too_Frequent")
        /// 30516 (TIM's).
        public static let allowTypeForbid = Reason("Err_SNS_FriendAdd_Friend_Allow_Type_Forbid")
        /// 30010.
        public static let selfFriendFull = Reason(
            "Err_SNS_FriendAdd_My_Friend_Num_Exceed_Threshold")
        /// 30014.
        public static let peerFriendFull = Reason(
            "Err_SNS_FriendAdd_Peer_Friend_Num_Exceed_Threshold")
        /// 30011.
        public static let groupLimit = Reason("Err_SNS_FriendAdd_Group_Num_Exceed_Threshold")
        /// 30012.
        public static let pendencyLimit = Reason("Err_SNS_FriendAdd_Pendency_Num_Exceed_Threshold")
        /// 30539.
        public static let needConfirm = Reason("Err_SNS_FriendAdd_Friend_Allow_Type_Need_Confirm")
    }

    /// The reasons of RespondToApplications.
    public enum FriendResponse {
        /// 30001: `user_id` is malformed.
        public static let userIDIllegal = Reason("Err_SNS_FriendResponse_UserId_Illegal")
        /// 30001: `remark` is too long.
        public static let remarkIllegal = Reason("Err_SNS_FriendResponse_Remark_Illegal")
        /// 30001: `group` is too long.
        public static let groupIllegal = Reason("Err_SNS_FriendResponse_Group_Illegal")
        /// 30001: the user stands earlier in the request, with other content.
        public static let duplicate = Reason("Err_SNS_FriendResponse_Duplicate")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_FriendResponse_Account_Not_Exist")
        /// 30614 (TIM's).
        public static let pendencyNotExist = Reason("Err_SNS_FriendResponse_Pendency_Not_Exist")
        /// 30005.
        public static let sensitiveText = Reason("Err_SNS_FriendResponse_Sensitive_Text")
        /// 30010.
        public static let selfFriendFull = Reason(
            "Err_SNS_FriendResponse_My_Friend_Num_Exceed_Threshold")
        /// 30014.
        public static let peerFriendFull = Reason(
            "Err_SNS_FriendResponse_Peer_Friend_Num_Exceed_Threshold")
    }

    /// The reasons of DeletePendencies.
    public enum PendencyDelete {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SNS_PendencyDelete_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_PendencyDelete_Account_Not_Exist")
        /// 30614.
        public static let pendencyNotExist = Reason("Err_SNS_PendencyDelete_Pendency_Not_Exist")
    }

    /// The reasons of WithdrawApplications.
    public enum ApplicationWithdraw {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SNS_ApplicationWithdraw_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason(
            "Err_SNS_ApplicationWithdraw_Account_Not_Exist")
        /// 30614.
        public static let pendencyNotExist = Reason(
            "Err_SNS_ApplicationWithdraw_Pendency_Not_Exist")
    }

    /// The reasons of DeleteFriends.
    public enum FriendDelete {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SNS_FriendDelete_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_FriendDelete_Account_Not_Exist")
        /// 31704 (TIM's).
        public static let notFriend = Reason("Err_SNS_FriendDelete_Not_Friend")
    }

    /// The reasons of CheckFriends.
    public enum FriendCheck {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SNS_FriendCheck_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_FriendCheck_Account_Not_Exist")
    }

    /// The reasons of GetFriends.
    public enum FriendGetList {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SNS_FriendGetList_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_FriendGetList_Account_Not_Exist")
        /// 30001: the user is no friend (TIM's).
        public static let friendNotExist = Reason("Err_SNS_FriendGetList_Friend_Not_Exist")
    }

    /// The reasons of UpdateFriends.
    public enum FriendUpdate {
        /// 30001: `user_id` is malformed.
        public static let userIDIllegal = Reason("Err_SNS_FriendUpdate_UserId_Illegal")
        /// 30001: `update_mask` names no such field, or stands beside `tags`, or both are missing.
        public static let maskIllegal = Reason("Err_SNS_FriendUpdate_UpdateMask_Illegal")
        /// 30001: a tag that no friend has, or one that is given twice.
        public static let tagIllegal = Reason("Err_SNS_FriendUpdate_Tag_Illegal")
        /// 30001: the value of a tag is of the wrong kind.
        public static let valueIllegal = Reason("Err_SNS_FriendUpdate_Value_Illegal")
        /// 30001: the remark is too long.
        public static let remarkIllegal = Reason("Err_SNS_FriendUpdate_Remark_Illegal")
        /// 30001: a group's name is empty or too long, or given twice.
        public static let groupIllegal = Reason("Err_SNS_FriendUpdate_Group_Illegal")
        /// 30001: the user stands earlier in the request, with other content.
        public static let duplicate = Reason("Err_SNS_FriendUpdate_Duplicate")
        /// 30001: a custom value is of the wrong kind or too long, or its key is given twice.
        public static let customIllegal = Reason("Err_SNS_FriendUpdate_Custom_Illegal")
        /// 40008.
        public static let customNotWritable = Reason(
            "Err_SNS_FriendUpdate_Custom_Write_Permission")
        /// 40009.
        public static let customTagNotExist = Reason("Err_SNS_FriendUpdate_Custom_Tag_Not_Exist")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_FriendUpdate_Account_Not_Exist")
        /// 30001: the user is no friend.
        public static let friendNotExist = Reason("Err_SNS_FriendUpdate_Friend_Not_Exist")
        /// 30005.
        public static let sensitiveText = Reason("Err_SNS_FriendUpdate_Sensitive_Text")
        /// 30011 (TIM's).
        public static let groupLimit = Reason("Err_SNS_FriendUpdate_Group_Num_Exceed_Threshold")
    }

    /// The reasons of GetRelations.
    public enum RelationGet {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SNS_RelationGet_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_RelationGet_Account_Not_Exist")
    }

    /// The reasons of ListMutualFriends.
    public enum FriendMutual {
        /// 30001: `other_id` is malformed.
        public static let userIDIllegal = Reason("Err_SNS_FriendMutual_UserId_Illegal")
        /// 30001: the other user is the caller.
        public static let oneself = Reason("Err_SNS_FriendMutual_Self")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_FriendMutual_Account_Not_Exist")
    }

    /// The reasons of ImportFriends.
    public enum FriendImport {
        /// 30001: `user_id`, the owner, is malformed.
        public static let userIDIllegal = Reason("Err_SNS_FriendImport_UserId_Illegal")
        /// 30001: `friend_id` is malformed.
        public static let friendIDIllegal = Reason("Err_SNS_FriendImport_FriendId_Illegal")
        /// 30001: a time is negative.
        public static let timeIllegal = Reason("Err_SNS_FriendImport_Time_Illegal")
        /// 30001: `remark` is too long.
        public static let remarkIllegal = Reason("Err_SNS_FriendImport_Remark_Illegal")
        /// 30001: a group's name is empty or too long, or given twice.
        public static let groupIllegal = Reason("Err_SNS_FriendImport_Group_Illegal")
        /// 30001: `source` is not of the form that TIM prescribes.
        public static let sourceIllegal = Reason("Err_SNS_FriendImport_Source_Illegal")
        /// 30001: `wording` is too long.
        public static let wordingIllegal = Reason("Err_SNS_FriendImport_Wording_Illegal")
        /// 30001: a custom value is of the wrong kind or too long, or its key is given twice.
        public static let customIllegal = Reason("Err_SNS_FriendImport_Custom_Illegal")
        /// 40009.
        public static let customTagNotExist = Reason("Err_SNS_FriendImport_Custom_Tag_Not_Exist")
        /// 30001: owner and friend are the same user.
        public static let oneself = Reason("Err_SNS_FriendImport_Self")
        /// 30003: owner or friend is no account.
        public static let accountNotExist = Reason("Err_SNS_FriendImport_Account_Not_Exist")
        /// 30005.
        public static let sensitiveText = Reason("Err_SNS_FriendImport_Sensitive_Text")
        /// 30010: the owner's list is full (TIM's).
        public static let selfFriendFull = Reason(
            "Err_SNS_FriendImport_My_Friend_Num_Exceed_Threshold")
        /// 30014: with `both_ways`, the friend's list is full.
        public static let peerFriendFull = Reason(
            "Err_SNS_FriendImport_Peer_Friend_Num_Exceed_Threshold")
        /// 30011.
        public static let groupLimit = Reason("Err_SNS_FriendImport_Group_Num_Exceed_Threshold")
    }

    /// The reasons of AddToBlacklist.
    public enum BlacklistAdd {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SNS_BlackListAdd_UserId_Illegal")
        /// 30001: the user is the caller.
        public static let oneself = Reason("Err_SNS_BlackListAdd_Self")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_BlackListAdd_Account_Not_Exist")
        /// 31307 (TIM's).
        public static let alreadyExist = Reason("Err_SNS_BlackListAdd_Already_Exist")
        /// 30013.
        public static let blacklistFull = Reason(
            "Err_SNS_BlackListAdd_BlackList_Num_Exceed_Threshold")
    }

    /// The reasons of RemoveFromBlacklist.
    public enum BlacklistDelete {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SNS_BlackListDelete_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_BlackListDelete_Account_Not_Exist")
        /// 31503.
        public static let notInBlacklist = Reason("Err_SNS_BlackListDelete_Not_In_BlackList")
    }

    /// The reasons of CheckBlacklist.
    public enum BlacklistCheck {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SNS_BlackListCheck_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason("Err_SNS_BlackListCheck_Account_Not_Exist")
    }

    /// The reasons of CanSend.
    public enum SendCheck {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_Msg_SendCheck_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason("Err_Msg_SendCheck_Account_Not_Exist")
        /// 20007.
        public static let inPeerBlacklist = Reason("Err_Msg_SendCheck_In_Peer_BlackList")
        /// 20009.
        public static let notFriend = Reason("Err_Msg_SendCheck_Not_Friend")
        /// 20010.
        public static let notPeerFriend = Reason("Err_Msg_SendCheck_Not_Peer_Friend")
        /// 20011.
        public static let notSelfFriend = Reason("Err_Msg_SendCheck_Not_Self_Friend")
    }

    /// The reasons of CreateFriendGroups.
    public enum GroupAdd {
        /// 30001: the name is empty or too long.
        public static let nameIllegal = Reason("Err_SNS_GroupAdd_GroupName_Illegal")
        /// 30001: a group of that name exists.
        public static let groupExist = Reason("Err_SNS_GroupAdd_Group_Exist")
        /// 30005.
        public static let sensitiveText = Reason("Err_SNS_GroupAdd_Sensitive_Text")
        /// 30011.
        public static let groupLimit = Reason("Err_SNS_GroupAdd_Group_Num_Exceed_Threshold")
        /// 30001: the identifier of a member is malformed.
        public static let userIDIllegal = Reason("Err_SNS_GroupAdd_UserId_Illegal")
        /// 30003: a member.
        public static let accountNotExist = Reason("Err_SNS_GroupAdd_Account_Not_Exist")
        /// 32216: a member (TIM's).
        public static let notFriend = Reason("Err_SNS_GroupAdd_ToTinyId_Not_Friend")
    }

    /// The reasons of the other calls on friend groups.
    public enum GroupUpdate {
        /// 30001: the name is empty, or longer than any app allows.
        public static let nameIllegal = Reason("Err_SNS_GroupUpdate_GroupName_Illegal")
        /// 30001: the new name is empty or too long.
        public static let newNameIllegal = Reason("Err_SNS_GroupUpdate_NewGroupName_Illegal")
        /// 30001: the owner has no group of that name.
        public static let groupNotExist = Reason("Err_SNS_GroupUpdate_Group_Not_Exist")
        /// 30001: a group of the new name exists.
        public static let groupExist = Reason("Err_SNS_GroupUpdate_Group_Exist")
        /// 30005: the new name.
        public static let sensitiveText = Reason("Err_SNS_GroupUpdate_Sensitive_Text")
        /// 30001: the identifier of a member is malformed.
        public static let userIDIllegal = Reason("Err_SNS_GroupUpdate_UserId_Illegal")
        /// 30003: a member.
        public static let accountNotExist = Reason("Err_SNS_GroupUpdate_Account_Not_Exist")
        /// 32518.
        public static let notFriend = Reason("Err_SNS_GroupUpdate_Not_Friend")
        /// 32519.
        public static let alreadyInGroup = Reason("Err_SNS_GroupUpdate_Already_In_Group")
        /// 32520.
        public static let notInGroup = Reason("Err_SNS_GroupUpdate_Not_In_Group")
    }

    /// The reasons of ImportAccounts.
    public enum AccountImport {
        /// 30001: `user_id` is malformed.
        public static let userIDIllegal = Reason("Err_Account_Import_UserId_Illegal")
        /// 30001: `nick` is too long.
        public static let nickIllegal = Reason("Err_Account_Import_Nick_Illegal")
        /// 30001: `face_url` is too long.
        public static let faceURLIllegal = Reason("Err_Account_Import_FaceUrl_Illegal")
        /// 30005.
        public static let sensitiveText = Reason("Err_Account_Import_Sensitive_Text")
        /// 30001: the account of that id is still being deleted.
        public static let isLeaving = Reason("Err_Account_Import_Deletion_Running")
    }

    /// The reasons of CheckAccounts.
    public enum AccountCheck {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_Account_Check_UserId_Illegal")
    }

    /// The reasons of DeleteAccounts.
    public enum AccountDelete {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_Account_Delete_UserId_Illegal")
        /// 30003: the user is no account of the app.
        public static let accountNotExist = Reason("Err_Account_Delete_Account_Not_Exist")
        /// 0: the deletion began before and is not finished.
        public static let isRunning = Reason("running")
    }

    /// The reasons of DefineCustomFields and RetireCustomField.
    public enum CustomField {
        /// 30001: `owner` is neither profiles nor friends.
        public static let ownerIllegal = Reason("Err_App_CustomField_Owner_Illegal")
        /// 30001: the key has a character that the app's preset does not allow, or is too long.
        public static let keyIllegal = Reason("Err_App_CustomField_Key_Illegal")
        /// 30001: `type` is no type.
        public static let typeIllegal = Reason("Err_App_CustomField_Type_Illegal")
        /// 30001: the field stands earlier in the request, with other content.
        public static let duplicate = Reason("Err_App_CustomField_Duplicate")
        /// 30001: the field exists, perhaps retired, with another type.
        public static let typeDiffers = Reason("Err_App_CustomField_Type_Differs")
        /// 30001: the owner has as many custom fields as the app allows.
        public static let limit = Reason("Err_App_CustomField_Num_Exceed_Threshold")
        /// 40009: there is no such field, or it is retired.
        public static let notExist = Reason("Err_App_CustomField_Not_Exist")
    }

    /// The reasons of GetProfiles.
    public enum ProfileGet {
        /// 40001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_Profile_PortraitGet_UserId_Illegal")
        /// 40003.
        public static let accountNotExist = Reason("Err_Profile_PortraitGet_Account_Not_Exist")
    }

    /// The reasons of UpdateProfile, and its violations.
    public enum ProfileSet {
        /// 40601, 24363: more custom fields than the app allows.
        public static let tooManyCustomFields = Reason(
            "Err_Profile_PortraitSet_Custom_Num_Exceed_Threshold")
        /// 40009: a profile has no such field.
        public static let tagNotExist = Reason("Err_Profile_PortraitSet_Tag_Not_Exist")
        /// 40001: the field is given twice.
        public static let duplicate = Reason("Err_Profile_PortraitSet_Duplicate")
        /// 40008: the caller may not write the field.
        public static let notWritable = Reason("Err_Profile_PortraitSet_Write_Permission")
        /// 40610: the value is of the wrong kind.
        public static let wrongKind = Reason("Err_Profile_PortraitSet_Value_Format")
        /// 40601.
        public static let tooLong = Reason("Err_Profile_PortraitSet_Value_Too_Long")
        /// 40605: a value that the field cannot have.
        public static let valueIllegal = Reason("Err_Profile_PortraitSet_Value_Illegal")
        /// 40005.
        public static let sensitiveText = Reason("Err_Profile_PortraitSet_Sensitive_Text")
        /// 40605: another user has the unique identifier.
        public static let uniqueIDTaken = Reason("Err_Profile_UniqueId_Taken")
    }

    /// The reasons of FindProfileByUniqueId.
    public enum ProfileFind {
        /// 34236: the unique identifier is malformed.
        public static let uniqueIDIllegal = Reason("Err_Profile_UniqueId_Illegal")
        /// 24366: no user has it.
        public static let uniqueIDNotExist = Reason("Err_Profile_UniqueId_Not_Exist")
    }

    /// The reasons of GrantPermissions.
    public enum ConsentGrant {
        /// 40001: the name of the permission is malformed.
        public static let permissionIllegal = Reason("Err_Consent_Grant_Permission_Illegal")
        /// 40009: the app knows no such permission.
        public static let permissionNotExist = Reason("Err_Consent_Grant_Permission_Not_Exist")
    }

    /// The reasons of DeclinePermissions.
    public enum ConsentDecline {
        /// 40001: the name of the permission is malformed.
        public static let permissionIllegal = Reason("Err_Consent_Decline_Permission_Illegal")
        /// 40009: the app knows no such permission.
        public static let permissionNotExist = Reason("Err_Consent_Decline_Permission_Not_Exist")
        /// 40605: every grant includes the public profile.
        public static let permissionBasic = Reason("Err_Consent_Decline_Permission_Basic")
    }

    /// The reasons of RevokePermissions.
    public enum ConsentRevoke {
        /// 40001: the name of the permission is malformed.
        public static let permissionIllegal = Reason("Err_Consent_Revoke_Permission_Illegal")
        /// 40009: the app knows no such permission.
        public static let permissionNotExist = Reason("Err_Consent_Revoke_Permission_Not_Exist")
        /// 40605: the public profile is only revoked together with all others.
        public static let permissionBasic = Reason("Err_Consent_Revoke_Permission_Basic")
    }

    /// The reasons of DefinePermissions.
    public enum ConsentDefine {
        /// 40001: the name of the permission is malformed.
        public static let permissionIllegal = Reason("Err_Consent_Define_Permission_Illegal")
        /// 40001: the permission stands earlier in the request, with other content.
        public static let duplicate = Reason("Err_Consent_Define_Duplicate")
        /// 40001: the fields are too many, or one comes twice.
        public static let fieldsIllegal = Reason("Err_Consent_Define_Fields_Illegal")
        /// 40001: the lifetime is negative or too long.
        public static let lifetimeIllegal = Reason("Err_Consent_Define_Lifetime_Illegal")
        /// 40009: a profile has no such field.
        public static let fieldNotExist = Reason("Err_Consent_Define_Field_Not_Exist")
        /// 40007: only the user itself and administrators may read the field.
        public static let fieldNotReadable = Reason("Err_Consent_Define_Field_Not_Readable")
        /// 40605: the permission is to publish, and opens fields or is of a kind that reads.
        public static let accessIllegal = Reason("Err_Consent_Define_Access_Illegal")
        /// 40605: the permission is built in, and the definition changes more than its lifetime.
        public static let builtIn = Reason("Err_Consent_Define_Built_In")
        /// 40605: the kind is that of built-in permissions.
        public static let kindIllegal = Reason("Err_Consent_Define_Kind_Illegal")
        /// 40605: the app has defined as many permissions as it may.
        public static let tooMany = Reason("Err_Consent_Define_Permission_Num_Exceed_Threshold")
    }

    /// The reasons of Subscribe.
    public enum Subscribe {
        /// 34308: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_Subscribe_UserId_Illegal")
        /// 34308: the user is the caller.
        public static let oneself = Reason("Err_Subscribe_Self")
        /// 30003.
        public static let accountNotExist = Reason("Err_Subscribe_Account_Not_Exist")
        /// 26022.
        public static let subscriberFull = Reason("Err_Subscribe_My_Num_Exceed_Threshold")
        /// 26021.
        public static let publisherFull = Reason("Err_Subscribe_Peer_Num_Exceed_Threshold")
    }

    /// The reasons of Unsubscribe.
    public enum Unsubscribe {
        /// 34308: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_Unsubscribe_UserId_Illegal")
        /// 34308: the user is the caller.
        public static let oneself = Reason("Err_Unsubscribe_Self")
    }

    /// The reasons of QuerySubscriptions.
    public enum SubscriptionQuery {
        /// 34308: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_SubscriptionQuery_UserId_Illegal")
        /// 34308: the user is the caller.
        public static let oneself = Reason("Err_SubscriptionQuery_Self")
        /// 30003.
        public static let accountNotExist = Reason("Err_SubscriptionQuery_Account_Not_Exist")
    }

    /// The reasons of ReportPresence.
    public enum PresenceReport {
        /// 30001: `user_id` is malformed.
        public static let userIDIllegal = Reason("Err_PresenceReport_UserId_Illegal")
        /// 30001: `device_id` is empty or too long.
        public static let deviceIDIllegal = Reason("Err_PresenceReport_DeviceId_Illegal")
        /// 30001: `platform` is too long.
        public static let platformIllegal = Reason("Err_PresenceReport_Platform_Illegal")
        /// 30001: `lease_seconds` is out of its bounds.
        public static let leaseIllegal = Reason("Err_PresenceReport_Lease_Illegal")
        /// 30001: the device stands earlier in the request, with other content.
        public static let duplicate = Reason("Err_PresenceReport_Duplicate")
        /// 30003.
        public static let accountNotExist = Reason("Err_PresenceReport_Account_Not_Exist")
    }

    /// The reasons of GetPresence.
    public enum PresenceGet {
        /// 30001: the identifier is malformed.
        public static let userIDIllegal = Reason("Err_PresenceGet_UserId_Illegal")
        /// 30003.
        public static let accountNotExist = Reason("Err_PresenceGet_Account_Not_Exist")
    }
}
