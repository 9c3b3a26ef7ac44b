public import Foundation
public import Publication

/// What the user of a licence may do (LCP 1.0, section 3.6).
public struct LicenseRights: Hashable, Sendable {
    /// The number of pages that may be printed over the lifetime of the licence; nil if there is no limit.
    public let print: Int?
    /// The number of characters that may be copied over the lifetime of the licence; nil if there is no limit.
    public let copy: Int?
    /// When the licence begins; nil if it always was valid.
    public let start: Date?
    /// When the licence ends; nil if it never does.
    public let end: Date?
    /// Further rights, by the URI of each.
    public let others: [String: JSONValue]

    /// - Parameter members: The object `rights`; nil if the licence has none, and so no limits.
    init(_ members: DocumentMembers?) throws {
        print = try members?.limit("print")
        copy = try members?.limit("copy")
        start = try members?.optionalDate("start")
        end = try members?.optionalDate("end")
        others = members?.others(["print", "copy", "start", "end"]) ?? [:]
    }
}

extension DocumentMembers {
    fileprivate func limit(_ name: String) throws -> Int? {
        // Saturates where `Int` has 32 bits.
        try optionalCount(name).map { Int(clamping: $0) }
    }
}
