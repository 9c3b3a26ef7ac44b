/// The metadata that a copy transfers beside the bytes, from a source that reports it to a target that keeps it
/// (``TreeCopy/metadata``).
public struct CopyMetadata: OptionSet, Sendable, Hashable {
    /// One bit for each kind.
    public let rawValue: UInt8

    /// Creates a set; unknown bits are kept.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Modification times, if the target has ``Capabilities/Ability/settingModificationDate``.
    public static let modificationDates = CopyMetadata(rawValue: 1)
    /// The nine permission bits, if the target has ``Capabilities/Ability/settingPermissions``. Set-user and set-group
    /// bits depend on the owner, who may differ, and are left out.
    public static let permissions = CopyMetadata(rawValue: 2)
    /// Extended attributes of the namespace `user`, if both sides have ``Capabilities/Ability/extendedAttributes``.
    /// Those that the target cannot keep are left out.
    public static let extendedAttributes = CopyMetadata(rawValue: 4)
    /// Creates the set that a target with `capabilities` keeps.
    public init(keptBy capabilities: Capabilities) {
        self = []
        if capabilities.has(.settingModificationDate) { insert(.modificationDates) }
        if capabilities.has(.settingPermissions) { insert(.permissions) }
        if capabilities.has(.extendedAttributes) { insert(.extendedAttributes) }
    }

    /// All of them.
    public static let all: CopyMetadata = [.modificationDates, .permissions, .extendedAttributes]
}
