public import Foundation
public import Publication

/// A provider's report on the state of a licence (License Status Document 1.0).
public struct StatusDocument: Sendable {
    /// The media type of status documents.
    public static let mediaType = "application/vnd.readium.license.status.v1.0+json"
    /// The most bytes that a status document may have; 1 MiB.
    public static let largest = 1 << 20
    /// The most events that a status document may have; 10,000.
    public static let largestEventCount = 10_000

    /// The state of a licence (section 2.3).
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// The licence was not used on any device yet.
        case ready
        /// The licence is in use, or needs no registration.
        case active
        /// The provider ended the licence.
        case revoked
        /// The user ended the licence.
        case returned
        /// The licence was ended before it was used.
        case cancelled
        /// The licence reached its end.
        case expired
    }

    /// Something that happened to a licence (section 2.7).
    public struct Event: Hashable, Sendable {
        /// What happened: `register`, `renew`, `return`, `revoke`, `cancel`, or another word of the provider's.
        public let type: String
        /// The name of the device.
        public let name: String?
        /// The identifier of the device.
        public let id: String?
        /// When it happened.
        public let date: Date

        init(_ members: DocumentMembers) throws {
            type = try members.text("type")
            name = try members.optionalString("name")
            id = try members.optionalString("id")
            date = try members.date("timestamp")
        }
    }

    /// The bytes that were read.
    public let data: Data
    /// All of the document, with members that have no property here.
    public let json: JSONValue
    /// The identifier of the licence.
    public let id: String
    /// The state of the licence.
    public let status: Status
    /// The provider's words for the user about the state. They may be empty.
    public let message: String
    /// When the licence was last changed. A licence in hand that is older is out of date.
    public let licenseUpdated: Date
    /// When the state was last changed.
    public let statusUpdated: Date
    /// The links, in the order of the document. At least one `license`.
    public let links: [LicenseLink]
    /// The latest end that a renewal may ask for; nil if the provider gives none.
    public let potentialEnd: Date?
    /// What happened to the licence, in the order of the document.
    public let events: [Event]

    /// Reads a status document.
    ///
    /// Members with other names than the specification's, and events of other types, are kept. An optional member that
    /// is `null` counts as missing.
    /// - Throws: ``LCPProblem`` of the kind `invalidStatus`, which names the first member that is missing or wrong.
    ///   Refused are also more than ``largest`` bytes, text that is not UTF-8, a name that occurs twice in one object,
    ///   more than ``LicenseLink/largestCount`` links, and more than ``largestEventCount`` events.
    public init(data: Data) throws {
        let document = try DocumentMembers.parse(.status, data, limit: Self.largest)
        let members = try DocumentMembers(.status, document.json)
        self.data = data
        json = members.json
        id = try members.text("id")
        status = try Self.status(members)
        message = try members.string("message")
        let updated = try members.object("updated")
        licenseUpdated = try updated.date("license")
        statusUpdated = try updated.date("status")
        links = try members.links()
        potentialEnd = try members.optionalObject("potential_rights")?.optionalDate("end")
        events = try Self.events(members)
        guard links.contains(where: { $0.rel.contains("license") }) else {
            throw members.fault("links", "has no link “license”")
        }
    }

    /// The links with a relation, in the order of the document: `license`, `register`, `renew`, `return`, or a URI of a
    /// provider's own.
    public func links(_ rel: String) -> [LicenseLink] { links.filter { $0.rel.contains(rel) } }

    /// The first link with a relation.
    public func link(_ rel: String) -> LicenseLink? { links.first { $0.rel.contains(rel) } }

    private static func status(_ members: DocumentMembers) throws -> Status {
        let text = try members.text("status")
        guard let status = Status(rawValue: text) else {
            throw members.fault("status", "has an unknown value, “\(text.prefix(100))”")
        }
        return status
    }

    private static func events(_ members: DocumentMembers) throws -> [Event] {
        guard members.has("events") else { return [] }
        guard let elements = try members.required("events").arrayValue else {
            throw members.fault("events", "is not an array")
        }
        guard elements.count <= largestEventCount else {
            throw members.fault(
                "events", "has \(elements.count) events, and at most \(largestEventCount) are accepted")
        }
        return try elements.enumerated().map { index, element in
            try Event(members.object(element, at: "events[\(index)]"))
        }
    }
}

/// Two status documents are equal if they have the same bytes.
extension StatusDocument: Hashable {
    /// Whether two documents have the same bytes.
    public static func == (left: StatusDocument, right: StatusDocument) -> Bool { left.data == right.data }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(data) }
}
