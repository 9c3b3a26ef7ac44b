/// The key of a publication's resources, taken from its licence. Only this process has it, and nothing shows it.
public struct LicenseKey: Sendable {
    /// 32 bytes, a key of AES-256.
    package let contentKey: [UInt8]

    package init(contentKey: [UInt8]) {
        self.contentKey = contentKey
    }
}

extension LicenseKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "content key" }
    /// As ``description``: without the key.
    public var debugDescription: String { description }
    /// Without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
