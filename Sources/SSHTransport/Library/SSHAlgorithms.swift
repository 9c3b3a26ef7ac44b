import CSSH2

/// The algorithms that are offered to a server, the best first.
///
/// Broken or weak algorithms are never offered: CBC (plaintext recovery), RC4, 3DES, MACs of MD5 and SHA-1, DSA, and
/// key exchanges that hash with SHA-1. Servers without others can be reached with the ssh program. The one exception,
/// last in its list, is `ssh-rsa` for the host key, because libssh2 before 1.11 has no other signature for RSA keys. To
/// forge one takes a second preimage of a hash to which both sides contribute random bytes, not just a collision of
/// SHA-1.
enum SSHAlgorithms {
    static let keyExchanges = [
        "curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256", "ecdh-sha2-nistp384",
        "ecdh-sha2-nistp521",
        "diffie-hellman-group-exchange-sha256", "diffie-hellman-group16-sha512", "diffie-hellman-group18-sha512",
        "diffie-hellman-group14-sha256",
    ]
    static let hostKeys = [
        "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "rsa-sha2-512",
        "rsa-sha2-256", "ssh-rsa",
    ]
    /// Of the counter modes, libssh2 1.10 is fastest with the shortest key. GCM, which newer versions have, needs no
    /// MAC.
    static let ciphers = ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes192-ctr", "aes256-ctr"]
    /// libssh2 computes SHA-256 faster than SHA-512. The encrypt-then-MAC variants come last: with them, messages could
    /// be removed from the start of a connection (CVE-2023-48795) if libssh2 does not know the countermeasure.
    static let macs = [
        "hmac-sha2-256", "hmac-sha2-512", "hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com",
    ]

    /// ``hostKeys`` with the types of the server's known keys first: its other keys would be refused.
    static func hostKeys(known types: [String]) -> [String] {
        let known = types.flatMap { $0 == "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"] : [$0] }.filter(
            hostKeys.contains)
        var seen = Set<String>()
        return (known + hostKeys).filter { seen.insert($0).inserted }
    }

    /// All lists by libssh2's numbers for them.
    static func preferences(knownHostKeys: [String]) -> [(method: Int32, names: [String])] {
        [
            (LIBSSH2_METHOD_KEX, keyExchanges), (LIBSSH2_METHOD_HOSTKEY, hostKeys(known: knownHostKeys)),
            (LIBSSH2_METHOD_CRYPT_CS, ciphers), (LIBSSH2_METHOD_CRYPT_SC, ciphers), (LIBSSH2_METHOD_MAC_CS, macs),
            (LIBSSH2_METHOD_MAC_SC, macs), (LIBSSH2_METHOD_COMP_CS, ["none"]), (LIBSSH2_METHOD_COMP_SC, ["none"]),
        ]
    }
}
