public import Foundation

/// A request to a provider's server.
public struct LicenseRequest: Hashable, Sendable {
    /// `GET`, `POST` or `PUT`.
    public var method: String
    /// An http or https address.
    public var url: URL
    /// Header fields, such as `Accept`. There is never a body.
    public var headers: [String: String]
    /// The most bytes of an answer that are of use; a connection may stop there.
    public var limit: Int
}

/// A server's answer.
public struct LicenseResponse: Hashable, Sendable {
    /// The status code of HTTP.
    public var status: Int
    /// Header fields; names count in any case.
    public var headers: [String: String]
    /// The body.
    public var data: Data

    /// An answer of an app's own connection.
    public init(status: Int, headers: [String: String] = [:], data: Data = Data()) {
        self.status = status
        self.headers = headers
        self.data = data
    }

    func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name.lowercased() }?.value }
}

/// The app's way to servers of providers. It follows redirects, and verifies certificates.
public protocol LicenseConnection: Sendable {
    /// Sends `request` and returns the answer, of whatever status.
    ///
    /// - Throws: `URLError` if there is no answer.
    func send(_ request: LicenseRequest) async throws -> LicenseResponse
}

/// This device, as providers know it.
public struct DeviceIdentity: Hashable, Sendable {
    /// What tells it from other devices. An app makes one, such as a UUID, and keeps it.
    public let id: String
    /// A name for people.
    public let name: String

    /// - Parameters:
    ///   - id: At most 255 characters.
    ///   - name: At most 255 characters.
    public init(id: String, name: String) {
        self.id = String(id.prefix(255))
        self.name = String(name.prefix(255))
    }
}
