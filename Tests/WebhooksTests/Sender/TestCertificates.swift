/// Certificates of P-256 with their keys, made with OpenSSL: an authority until 2100, and what it
/// signed.
///
/// The keys protect nothing: they are of these tests alone.
enum TestCertificates {
    /// The authority.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBZzCCAQygAwIBAgICEAAwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOVGVzdCBh
        dXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEwMDAxMDEwMDAwMDBaMBkxFzAV
        BgNVBAMMDlRlc3QgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        S/zMU4ZlIU2AhjCaxs2dKDVMxuuSGuTotYU3pI+MtsRpME/A+WsPBSWIaynvt/WB
        TYQ6ZcSsn6tXi79nCKfc/aNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8E
        BAMCAgQwHQYDVR0OBBYEFB63dHS41sYAEYk83JJ/KEyM1n8cMAoGCCqGSM49BAMC
        A0kAMEYCIQC/Z99V1dsqLLCnHJYvhcCL8kaQ8dwhq2w/2WCYf7FC9wIhAOtaRSKQ
        6j2G9wYIjvFng+YBs0affSh+0RmOSNuIi9V+
        -----END CERTIFICATE-----
        """

    /// For receiver.example and 127.0.0.1, until 2090.
    static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBrTCCAVOgAwIBAgICEAEwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOVGVzdCBh
        dXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjA5MDAxMDEwMDAwMDBaMBsxGTAX
        BgNVBAMMEHJlY2VpdmVyLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AATbHN+wlKhs4fbrRZIcpnPmwuCVYy3Ud2IbvPD490PrunlYyJMxQuurTuZm9dKQ
        fNpZ9ukwsxYC1JXr1V7b5Fufo4GGMIGDMAkGA1UdEwQCMAAwEwYDVR0lBAwwCgYI
        KwYBBQUHAwEwIQYDVR0RBBowGIIQcmVjZWl2ZXIuZXhhbXBsZYcEfwAAATAdBgNV
        HQ4EFgQUK0oxHJPN6xcn+TafjYUlD2sLYrswHwYDVR0jBBgwFoAUHrd0dLjWxgAR
        iTzckn8oTIzWfxwwCgYIKoZIzj0EAwIDSAAwRQIgdKO4QlDvkl0E/HTpUBz/mnzh
        G8JhAHcq0dtRIWtUCbsCIQD07W2tuFzrZKyJ+qauLZs+23Vzwfne0at3QAlgnkxt
        Rg==
        -----END CERTIFICATE-----
        """

    /// The key of it.
    static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0bylQ0j+JbVNQA9k
        8FS6YAPD2El3JpB+F/DP2drlK0WhRANCAATbHN+wlKhs4fbrRZIcpnPmwuCVYy3U
        d2IbvPD490PrunlYyJMxQuurTuZm9dKQfNpZ9ukwsxYC1JXr1V7b5Fuf
        -----END PRIVATE KEY-----
        """

    /// For the same names, from 2020 until 2021.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBrDCCAVGgAwIBAgICEAIwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOVGVzdCBh
        dXRob3JpdHkwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAbMRkwFwYD
        VQQDDBByZWNlaXZlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        9ByR3z4jxwjQJ6zsgApZy1qT2r3s2GdFriVz4dB5U0AfUCnFa8y+K4r6LB0tm7mK
        uwiNIw+QF7DO7nkn1yC8TKOBhjCBgzAJBgNVHRMEAjAAMBMGA1UdJQQMMAoGCCsG
        AQUFBwMBMCEGA1UdEQQaMBiCEHJlY2VpdmVyLmV4YW1wbGWHBH8AAAEwHQYDVR0O
        BBYEFNb1zeYyZZnBZVwXxhY077Uift3/MB8GA1UdIwQYMBaAFB63dHS41sYAEYk8
        3JJ/KEyM1n8cMAoGCCqGSM49BAMCA0kAMEYCIQDFA+ZkniTCJf1K4k3BjyulLoNF
        0e4C+DyA8Uw/PDk+nwIhALmk/QvmvsWuzE1LPu0Kq82+5l8YcniS/wN1pXxG93cw
        -----END CERTIFICATE-----
        """

    /// The key of it.
    static let expiredKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxxUEvf06W0BMExFz
        mKsWJ8+f3ns8NuvkR4EIUvkvDcGhRANCAAT0HJHfPiPHCNAnrOyAClnLWpPavezY
        Z0WuJXPh0HlTQB9QKcVrzL4rivosHS2buYq7CI0jD5AXsM7ueSfXILxM
        -----END PRIVATE KEY-----
        """

    /// For a client, until 2090.
    static let client = """
        -----BEGIN CERTIFICATE-----
        MIIBoDCCAUegAwIBAgICEAMwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOVGVzdCBh
        dXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjA5MDAxMDEwMDAwMDBaMBkxFzAV
        BgNVBAMMDnNlbmRlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        eOqkSv4KY+X7GZgSjy3SyvVIpqY49uiTlJpKGMp0xjbLlyXLnS/sfyuN9k2hxGzv
        W7jGuRkhEB8+R500tzS4mKN9MHswCQYDVR0TBAIwADATBgNVHSUEDDAKBggrBgEF
        BQcDAjAZBgNVHREEEjAQgg5zZW5kZXIuZXhhbXBsZTAdBgNVHQ4EFgQUEYLA2vm8
        jtkoMOdJYKByp9JiDh8wHwYDVR0jBBgwFoAUHrd0dLjWxgARiTzckn8oTIzWfxww
        CgYIKoZIzj0EAwIDRwAwRAIgQsOleuef3w8jfVEs6/ri2AyTDcyF56Q68176cpKH
        YSwCIGAemeBeeBY8HK/1O2sTAiGUrjpzERsq32x8IJVZPp0I
        -----END CERTIFICATE-----
        """

    /// The key of it.
    static let clientKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgX/kJ1UioAFDHwuub
        dK43wOOn9AHqDzLjBI571UaVsdyhRANCAAR46qRK/gpj5fsZmBKPLdLK9Uimpjj2
        6JOUmkoYynTGNsuXJcudL+x/K432TaHEbO9buMa5GSEQHz5HnTS3NLiY
        -----END PRIVATE KEY-----
        """
}
