public import Foundation

/// What every provider has: who it is, what it can do, and looking at what is there.
///
/// A provider is an object, because what runs keeps it alive. Each operation is one `async throws` requirement in terms of
/// ``ProviderPath``; Core derives from it the `String` form and the form with a completion handler that returns a `Progress`.
public protocol FileProviderBasic: AnyObject, Sendable, CustomDebugStringConvertible {
    /// The provider's name, such as `WebDAV`: for display, and to compare what two providers are.
    static var type: String { get }

    /// The URL of the root, without secrets; nil where paths do not map to URLs.
    var baseURL: URL? { get }

    /// What holds for this connection.
    ///
    /// - Complexity: At most one request in the provider's life.
    func capabilities() async throws -> Capabilities

    /// What is known about the item at `path`; of a symbolic link, about the link itself.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` when nothing is there.
    /// - Complexity: One request.
    func attributesOfItem(path: ProviderPath) async throws -> FileObject

    /// Gives the direct children of the folder at `path` to `page`, in no promised order, in one or more pages as they come.
    ///
    /// `page` may take its time; the storage waits meanwhile. What was given before an error is good as far as it goes.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it when `path` is no folder.
    /// - Complexity: One request, or one for each page of the server's.
    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws

    /// Capacity and free space; nil where the storage has no such notion.
    func storageProperties() async throws -> VolumeObject?

    /// The URL of the item at `path`.
    func url(of path: ProviderPath) -> URL

    /// Cancels what runs and gives back connections. Operations after it fail with `URLError(.cancelled)` or start anew.
    func invalidate()
}

extension FileProviderBasic {
    /// The name of this provider's type.
    public var type: String { Self.type }

    public func storageProperties() async throws -> VolumeObject? { nil }

    public func invalidate() { cancelOperations() }

    /// Cancels what the completion forms started on this provider, and ends its registrations: the first half of ``invalidate()``.
    public func cancelOperations() {
        RunningOperations.shared.cancelAll(of: self)
        Registrations.shared.endAll(of: self)
    }

    public func url(of path: ProviderPath) -> URL {
        let encoded = path.percentEncoded
        guard let baseURL else { return URL(string: encoded) ?? URL(fileURLWithPath: "/") }
        let base = baseURL.absoluteString
        return URL(string: base.hasSuffix("/") ? base + encoded : base + "/" + encoded) ?? baseURL
    }

    /// The direct children of the folder at `path`, collected.
    ///
    /// - Throws: As ``contentsOfDirectory(path:page:)``.
    public func contentsOfDirectory(path: ProviderPath) async throws -> [FileObject] {
        let all = Collected<FileObject>()
        try await contentsOfDirectory(path: path) { all.append($0) }
        return all.values
    }

    /// Whether the root answers.
    ///
    /// - Throws: Why it does not.
    public func checkReachability() async throws { _ = try await attributesOfItem(path: .root) }

    public var debugDescription: String { "\(Self.type)(\(baseURL?.withoutSecrets.absoluteString ?? "no URL"))" }
}

extension ProviderPath {
    /// The path as it stands in a URL (RFC 3986, section 3.3): every byte that is not unreserved is percent-encoded.
    public var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                result.append(byte)
            default:
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads a URL's path: percent-decoded once, to bytes.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for an escape that is cut off, an encoded slash or NUL, `.` and `..`.
    public init(percentEncoded text: String) throws {
        var decoded: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let digits = Substring(rest.prefix(2))
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16), value != UInt8(ascii: "/"), digits.first != "+" else {
                throw FileError.make(
                    .fileReadInvalidFileName, path: text, sentence: "“\(text)” is not a well-formed URL path (RFC 3986, section 2.1).")
            }
            rest = rest.dropFirst(2)
            decoded.append(value)
        }
        try self.init(bytes: decoded)
    }
}
