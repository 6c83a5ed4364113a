import RelationCalls
import RelationCore
import RelationModel

extension Violations {
    /// Judges the last time at which a new credential is good.
    mutating func end(_ expireTimeMs: Int64, at now: Timestamp) {
        if expireTimeMs != 0, expireTimeMs <= now.milliseconds {
            add("expire_time_ms", "must be 0 or in the future")
        }
    }

    /// Judges the id of a credential, and returns it.
    mutating func credentialID(_ text: String) -> CredentialID {
        if text.isEmpty { add("credential_id", "must be given") }
        length(text, "credential_id", atMost: Limits.requestIDBytes)
        return CredentialID(text)
    }
}
