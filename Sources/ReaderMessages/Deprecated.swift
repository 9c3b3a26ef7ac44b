// Deprecated names.

/// The former name of ``ConnectedMessage``.
@available(*, deprecated, renamed: "ConnectedMessage")
public typealias Connected = ConnectedMessage

extension MessageNotes {
    /// The former name of ``maxWarnings``.
    @available(*, deprecated, renamed: "maxWarnings")
    public static var mostWarnings: Int { maxWarnings }
}

extension MessageFailure {
    /// The former spelling of ``init(_:fileName:reason:)``, without labels.
    @available(*, deprecated, renamed: "init(_:fileName:reason:)")
    public init(_ kind: Kind, _ fileName: String, _ reason: String) {
        self.init(kind, fileName: fileName, reason: reason)
    }
}
