// Names that were changed, for apps that use them still.

/// The name that ``ConnectedMessage`` had.
@available(*, deprecated, renamed: "ConnectedMessage")
public typealias Connected = ConnectedMessage

extension MessageNotes {
    /// The name that ``maxWarnings`` had.
    @available(*, deprecated, renamed: "maxWarnings")
    public static var mostWarnings: Int { maxWarnings }
}

extension MessageFailure {
    /// The form without labels that ``init(_:fileName:reason:)`` had.
    @available(*, deprecated, renamed: "init(_:fileName:reason:)")
    public init(_ kind: Kind, _ fileName: String, _ reason: String) {
        self.init(kind, fileName: fileName, reason: reason)
    }
}
