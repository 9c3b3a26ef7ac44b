/// What a copy takes along beside the bytes, from a source that tells it to a target that keeps it
/// (``TreeCopy/metadata``).
public struct CopyMetadata: OptionSet, Sendable, Hashable {
    /// One bit for each kind.
    public let rawValue: UInt8

    /// Bits that mean nothing are kept.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Modification times, where the target has ``Capabilities/Ability/settingModificationDate``.
    public static let modificationDates = CopyMetadata(rawValue: 1)
    /// The nine permission bits, where the target has ``Capabilities/Ability/settingPermissions``. Set-user and
    /// set-group bits belong to the owner, who may be another one.
    public static let permissions = CopyMetadata(rawValue: 2)
    /// Extended attributes of the namespace `user`, where both sides have
    /// ``Capabilities/Ability/extendedAttributes``. What the target cannot keep of them is left out.
    public static let extendedAttributes = CopyMetadata(rawValue: 4)
    /// What a target with `capabilities` keeps.
    public init(keptBy capabilities: Capabilities) {
        self = []
        if capabilities.has(.settingModificationDate) { insert(.modificationDates) }
        if capabilities.has(.settingPermissions) { insert(.permissions) }
        if capabilities.has(.extendedAttributes) { insert(.extendedAttributes) }
    }

    /// All of them.
    public static let all: CopyMetadata = [.modificationDates, .permissions, .extendedAttributes]
}
