import CNghttp2

/// The one type that configures nghttp2; no default is left unsaid.
///
/// A session copies its options, so both tables are freed when the session is made.
enum SessionOptions {
    static func withOptions<Result>(
        _ body: (OpaquePointer) throws(SessionError) -> Result
    ) throws(SessionError) -> Result {
        var made: OpaquePointer?
        guard nghttp2_option_new(&made) == 0, let option = made else {
            throw .failed(NGHTTP2_ERR_NOMEM.rawValue)
        }
        defer { nghttp2_option_del(option) }

        // A stream's window opens when the call layer has consumed bytes, not when they arrive.
        nghttp2_option_set_no_auto_window_update(option, 1)
        // Otherwise up to MAX_CONCURRENT_STREAMS closed streams are kept for the priorities of RFC
        // 7540. With 2,000 this would be 700 KiB for one connection.
        nghttp2_option_set_no_closed_streams(option, 1)
        nghttp2_option_set_server_fallback_rfc7540_priorities(option, 0)
        // nghttp2 still checks header fields as RFC 9113, section 8 demands.
        nghttp2_option_set_no_http_messaging(option, 0)
        // gRPC clients send spaces around metadata and messages. By RFC 9113, section 8.2.1 we
        // would have to refuse the whole stream; the call layer removes the spaces instead.
        nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1)
        // Every PING is answered at once; the call layer decides how many are too many.
        nghttp2_option_set_no_auto_ping_ack(option, 0)
        nghttp2_option_set_no_recv_client_magic(option, 0)
        // The limit to assume before the peer's SETTINGS arrive, as RFC 9113, section 6.5.2
        // advises.
        nghttp2_option_set_peer_max_concurrent_streams(option, 100)
        // No pushed streams: gRPC has no use for them.
        nghttp2_option_set_max_reserved_remote_streams(option, 0)
        nghttp2_option_set_max_send_header_block_length(
            option, SessionLimits.sentHeaderBlockBytes)
        nghttp2_option_set_max_deflate_dynamic_table_size(
            option, Int(SessionLimits.headerTableBytes))
        nghttp2_option_set_max_outbound_ack(option, SessionLimits.unreadAcknowledgements)
        nghttp2_option_set_max_settings(option, SessionLimits.settingsEntries)
        nghttp2_option_set_stream_reset_rate_limit(
            option, SessionLimits.resetBurst, SessionLimits.resetsPerSecond)
        // The second limit: nghttp2 counts the pieces in which their headers of nine bytes
        // arrive.
        nghttp2_option_set_max_continuations(option, 9 * (SessionLimits.continuations + 1))
        return try body(option)
    }

    static func withCallbacks<Result>(
        _ body: (OpaquePointer) throws(SessionError) -> Result
    ) throws(SessionError) -> Result {
        var made: OpaquePointer?
        guard nghttp2_session_callbacks_new(&made) == 0, let table = made else {
            throw .failed(NGHTTP2_ERR_NOMEM.rawValue)
        }
        defer { nghttp2_session_callbacks_del(table) }
        Session.install(in: table)
        return try body(table)
    }

    /// The entries of our first `SETTINGS` frame.
    static func entries(_ settings: Settings, _ role: Role) -> [nghttp2_settings_entry] {
        var entries = [
            entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.streamWindowBytes),
            entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(SessionLimits.headerListBytes)),
            entry(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, SessionLimits.headerTableBytes),
            entry(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
        ]
        switch role {
        case .server:
            entries.append(
                entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.concurrentStreams))
        case .client:
            entries.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
            entries.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 0))
        }
        return entries
    }

    private static func entry(
        _ id: nghttp2_settings_id, _ value: UInt32
    ) -> nghttp2_settings_entry {
        nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: value)
    }
}
