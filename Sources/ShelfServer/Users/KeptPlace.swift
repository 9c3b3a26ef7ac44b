public import Foundation

/// A person's place in a book.
public struct KeptPlace: Hashable, Sendable {
    /// A Readium locator in JSON, as the client sent it.
    public let locator: Data
    /// The part of the book before the place, 0 to 1; nil if the locator doesn't say it.
    public let totalProgression: Double?
    /// When the person came to the place, by the clock of their device; without such a time, when the server received it.
    public let modified: Date
    /// The name of the device or app; nil if it sent none.
    public let device: String?

    /// A place in a book.
    public init(locator: Data, totalProgression: Double?, modified: Date, device: String? = nil) {
        self.locator = locator
        self.totalProgression = totalProgression
        self.modified = modified
        self.device = device
    }
}

/// A person's progress in a document, as KOReader's synchronisation sends it.
package struct KeptProgress: Hashable, Sendable {
    /// KOReader's digest of the document.
    package let document: String
    /// An XPointer or a page number, as it was sent.
    package let progress: String
    /// The part of the document before the place, 0 to 1.
    package let percentage: Double
    package let device: String
    package let deviceID: String
    /// Seconds since 1970 of the server's clock.
    package let timestamp: Int64

    package init(
        document: String, progress: String, percentage: Double, device: String, deviceID: String, timestamp: Int64
    ) {
        self.document = document
        self.progress = progress
        self.percentage = percentage
        self.device = device
        self.deviceID = deviceID
        self.timestamp = timestamp
    }
}
