import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML

/// One `response` of a multi-status (RFC 4918, section 14.24).
struct DAVResponse: Sendable {
    /// The item, counted from the server's root; nil when the href is no path a provider can hold.
    var path: ProviderPath?
    /// The status of the item itself, where the response has one.
    var status: Int?
    /// What the properties with status 200 say; the others are not there.
    var isCollection = false
    var size: Int64?
    var modified: String?
    var created: String?
    var entryTag: String?
    var contentType: String?
    var quotaAvailable: Int64?
    var quotaUsed: Int64?
}

/// Reads a multi-status as it comes: names by namespace, every `propstat`, no tree.
final class MultistatusDecoder: XMLEventHandler {
    private static let dav = "DAV:"

    private let parser: XMLEventParser
    private let forward: Forward
    private var finished: [DAVResponse] = []
    private var response: DAVResponse?
    private var properties: DAVResponse?
    private var propstatus = 200
    private var text = ""
    private var depth = 0
    private(set) var sawMultistatus = false

    /// The parser keeps its handler strongly; this breaks the circle.
    private final class Forward: XMLEventHandler {
        weak var decoder: MultistatusDecoder?

        func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
            decoder?.start(element: element, namespace: namespace, attributes: attributes)
        }

        func text(_ text: String) throws { decoder?.text(text) }

        func end(element: String, namespace: String) throws { decoder?.end(element: element, namespace: namespace) }
    }

    init() throws {
        forward = Forward()
        parser = try XMLEventParser(
            limits: XMLLimits(bytes: 1 << 30, depth: 64, text: 1 << 20, elements: 50_000_000), handler: forward)
        forward.decoder = self
    }

    /// Reads more of the document.
    func parse(_ data: Data) throws { try parser.parse(data) }

    /// - Throws: `CocoaError(.fileReadCorruptFile)` when the document is not complete.
    func finish() throws {
        try parser.finish()
        guard sawMultistatus else {
            throw FileError.make(.fileReadCorruptFile, path: "", sentence: "The server's answer is XML, but no WebDAV multi-status.")
        }
    }

    /// The responses that are complete, each given once.
    func take() -> [DAVResponse] {
        defer { finished = [] }
        return finished
    }

    func start(element: String, namespace: String, attributes: [XMLAttribute]) {
        depth += 1
        text = ""
        guard namespace == Self.dav else { return }
        switch element {
        case "multistatus": sawMultistatus = true
        case "response": response = DAVResponse()
        case "propstat":
            properties = response
            propstatus = 200
        case "collection": properties?.isCollection = true
        default: break
        }
    }

    func text(_ text: String) { self.text += text }

    func end(element: String, namespace: String) {
        depth -= 1
        defer { text = "" }
        guard namespace == Self.dav else { return }
        let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch element {
        case "response":
            if let response { finished.append(response) }
            response = nil
        case "propstat":
            if propstatus == 200 { response = properties }
            properties = nil
        case "href" where properties == nil: if response?.path == nil { response?.path = Self.path(of: value) }
        case "status":
            let status = value.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            if properties != nil { propstatus = status ?? 200 } else { response?.status = status }
        default: setProperty(element, value)
        }
    }

    private func setProperty(_ element: String, _ value: String) {
        guard properties != nil, !value.isEmpty else { return }
        switch element {
        case "getcontentlength": properties?.size = Int64(value).flatMap { $0 >= 0 ? $0 : nil }
        case "getlastmodified": properties?.modified = value
        case "creationdate": properties?.created = value
        case "getetag": properties?.entryTag = value
        case "getcontenttype": properties?.contentType = value
        // Some servers have negative numbers here for “unlimited” and “unknown”.
        case "quota-available-bytes": properties?.quotaAvailable = Int64(value).flatMap { $0 >= 0 ? $0 : nil }
        case "quota-used-bytes": properties?.quotaUsed = Int64(value).flatMap { $0 >= 0 ? $0 : nil }
        default: break
        }
    }

    /// An href's path: absolute URL or absolute path, decoded once.
    private static func path(of href: String) -> ProviderPath? {
        var path = Substring(href)
        if let scheme = path.range(of: "://") {
            let rest = path[scheme.upperBound...]
            path = rest.firstIndex(of: "/").map { rest[$0...] } ?? ""
        }
        if let end = path.firstIndex(where: { $0 == "?" || $0 == "#" }) { path = path[..<end] }
        // A base URL that was joined carelessly doubles slashes; empty names mean nothing.
        return try? ProviderPath(percentEncoded: path.split(separator: "/").joined(separator: "/"))
    }
}

extension DAVResponse {
    /// The item at `path` as a provider shows it.
    func item(at path: ProviderPath) -> FileObject {
        var item = FileObject(path: path, type: isCollection ? .directory : .regular, size: isCollection ? nil : size)
        item.modifiedDate = modified.flatMap { HTTPDate.parse($0) }
        item.creationDate = created.flatMap { HTTPDate.parse($0) }
        item.entryTag = entryTag
        item.mimeType = contentType
        return item
    }
}
