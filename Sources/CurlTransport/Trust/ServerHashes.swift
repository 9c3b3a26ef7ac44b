import FileProviderCore

/// The SHA-256 hashes of the certificate that a server has shown, and of the key in it.
struct ServerHashes: Sendable, Hashable {
    let certificate: [UInt8]
    let publicKey: [UInt8]

    /// Whether one of `pins` is of this server.
    func match(_ pins: [ServerPin]) -> Bool {
        pins.contains { $0 == .certificate(certificate) || $0 == .publicKey(publicKey) }
    }
}
