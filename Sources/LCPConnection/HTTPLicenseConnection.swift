import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider
public import LCP

/// A connection to providers' servers by Carrel's HTTP client.
///
/// ```swift
/// let client = LicenseStatusClient(connection: HTTPLicenseConnection(), device: device, store: store)
/// ```
///
/// Certificates are verified, and redirects are followed as ``/HTTPFileProvider/HTTPConnection`` does it. Nothing is kept
/// on a disk, even if the options have a cache.
public struct HTTPLicenseConnection: LicenseConnection {
    /// The policies of each request.
    public let options: ConnectionOptions

    /// Creates the value without any request.
    ///
    /// - Parameter options: Timeouts, proxy, trust and the other policies of each request. The addresses come from
    ///   licences: leave out credentials and client certificates that the server of a stranger must not get.
    public init(options: ConnectionOptions = ConnectionOptions()) {
        var options = options
        options.cache = .none
        self.options = options
    }

    /// Sends `request` and returns the answer, of whatever status.
    ///
    /// A `GET` that failed for a passing reason is repeated, and other requests only if the server was not reached.
    ///
    /// - Throws: `URLError` if there is no answer; of the code `badServerResponse` for one that is longer than the limit
    ///   of the request; `CancellationError`.
    /// - Complexity: One request, and one for each redirect. Holds the answer in memory.
    public func send(_ request: LicenseRequest) async throws -> LicenseResponse {
        let connection = try HTTPConnection(url: request.url, options: options)
        let isReading = request.method == "GET"
        var sent = HTTPRequest(
            request.method, path: .root, headers: request.headers.map { (name: $0.key, value: $0.value) },
            repetition: isReading ? .always : .ifNotDone, accepts: Set(300...599), isWriting: !isReading)
        // The address as the licence has it: a path may end in a slash or hold what a `ProviderPath` cannot.
        sent.url = request.url
        let (data, head) = try await connection.data(for: sent, limit: request.limit)
        let headers = head.headers.map { ($0.name.lowercased(), $0.value) }
        return LicenseResponse(
            status: head.status, headers: Dictionary(headers, uniquingKeysWith: { first, _ in first }),
            data: head.isSuccess ? data : head.errorBody)
    }
}
