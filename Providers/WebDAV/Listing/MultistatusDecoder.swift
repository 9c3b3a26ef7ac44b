import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML

/// Reads a multi-status as it comes: names by namespace, every `propstat`, no tree.
final class MultistatusDecoder {
    private let reader: MultistatusReader
    private let parser: XMLEventParser

    /// - Parameter mostResponses: Items in one answer.
    init(maxResponses: Int = 1_000_000) throws {
        reader = MultistatusReader(maxResponses: maxResponses)
        parser = try XMLEventParser(
            limits: XMLLimits(bytes: 512 << 20, depth: 64, text: 1 << 20, elements: 50_000_000), handler: reader)
    }

    /// Reads more of the document.
    func parse(_ data: Data) throws { try parser.parse(data) }

    /// - Throws: `CocoaError(.fileReadCorruptFile)` when the document is not complete.
    func finish() throws {
        try parser.finish()
        guard reader.sawMultistatus else {
            throw FileError.make(
                .fileReadCorruptFile, path: "", sentence: "The server's answer is XML, but no WebDAV multi-status.")
        }
    }

    /// The responses that are complete, each given once.
    func take() -> [DAVResponse] {
        defer { reader.finished.removeAll(keepingCapacity: true) }
        return reader.finished
    }
}

/// Puts responses together from events. A listing has a hundred thousand of them: texts stay bytes wherever they can.
private final class MultistatusReader: XMLEventHandler {
    var finished: [DAVResponse] = []
    private(set) var sawMultistatus = false

    private let maxResponses: Int

    init(maxResponses: Int) { self.maxResponses = maxResponses }

    private var depth = 0
    private var responseDepth = 0
    private var response = DAVResponse()
    /// The response as it was before the `propstat` that is being read, which may turn out to have failed; nil outside
    /// of one.
    private var beforeProperties: DAVResponse?
    private var propertiesHold = true
    private var propertiesStatus: Int?
    /// Whether a `propstat` of the response has held, and the status of the first that has not.
    private var hasProperties = false
    private var failure: Int?
    private var isInType = false
    /// The element whose text is wanted, by its depth; 0 for none.
    private var wantedDepth = 0
    private var text: [UInt8] = []
    private var responses = 0
    private var moreBytes = 0
    /// The media type that came last: neighbours often share it.
    private var lastType = ""

    private static let texts: Set<String> = [
        "href", "status", "responsedescription", "getcontentlength", "getlastmodified", "creationdate", "getetag",
        "getcontenttype",
        "quota-available-bytes", "quota-used-bytes",
    ]
    /// Bytes of an href, and of all further ones of a response.
    private static let maxHrefLength = 64 << 10
    private static let dav = "DAV:"
    private static let ownCloud = "http://owncloud.org/ns"
    private static let nextcloud = "http://nextcloud.org/ns"
    private static let trashTexts: Set<String> = ["trashbin-original-location", "trashbin-deletion-time"]

    func start(element: String, namespace: String, attributes: [XMLAttribute]) {
        depth += 1
        guard namespace == Self.dav else {
            if namespace == Self.ownCloud, element == "checksum" || element == "fileid" { want() }
            if namespace == Self.nextcloud, Self.trashTexts.contains(element) { want() }
            return
        }
        switch element {
        case "multistatus": sawMultistatus = true
        case "response":
            response = DAVResponse()
            beforeProperties = nil
            (hasProperties, failure, moreBytes) = (false, nil, 0)
            responseDepth = depth
        case "propstat":
            beforeProperties = response
            (propertiesHold, propertiesStatus) = (true, nil)
        case "prop": break
        case "resourcetype": isInType = true
        case "collection": if isInType { response.isCollection = true }
        default: if Self.texts.contains(element) { want() }
        }
    }

    private func want() {
        wantedDepth = depth
        text.removeAll(keepingCapacity: true)
    }

    func text(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        if depth == wantedDepth { text.append(contentsOf: bytes) }
    }

    func end(element: String, namespace: String) throws {
        defer { depth -= 1 }
        if depth == wantedDepth {
            wantedDepth = 0
            if text.count > Self.maxHrefLength, element == "href" {
                throw Self.tooLarge("a name of more than \(Self.maxHrefLength) bytes")
            }
            text.withUnsafeBufferPointer { take($0.trimmed, of: element, namespace) }
            if text.capacity > Self.maxHrefLength { text = [] }
        } else if namespace == Self.dav {
            switch element {
            case "response":
                responses += 1
                guard responses <= maxResponses else { throw Self.tooLarge("more than \(maxResponses) items") }
                endResponse()
            case "propstat": endProperties()
            case "resourcetype": isInType = false
            default: break
            }
        }
    }

    private static func tooLarge(_ what: String) -> CocoaError {
        FileError.make(.fileReadTooLarge, path: "", sentence: "The listing has \(what).")
    }

    private func endProperties() {
        if propertiesHold {
            hasProperties = true
        } else {
            // 424 says only that another one failed (RFC 4918, section 11.4).
            if failure == nil || failure == 424 { failure = propertiesStatus }
            if let beforeProperties { response = beforeProperties }
        }
        beforeProperties = nil
    }

    private func endResponse() {
        // An item without any property is unknown; it may not even be a file.
        if !hasProperties, response.status == nil { response.status = failure }
        finished.append(response)
    }

    private func take(_ value: UnsafeBufferPointer<UInt8>, of element: String, _ namespace: String) {
        guard beforeProperties != nil else { return takeOutside(value, of: element) }
        switch element {
        case "status" where namespace == Self.dav:
            propertiesStatus = Self.status(value)
            propertiesHold = propertiesStatus.map { $0 == 200 } ?? true
        case "getcontentlength": response.size = Self.count(value)
        case "getlastmodified": response.modified = value.isEmpty ? nil : HTTPDate.parse(utf8: value)
        case "creationdate": response.created = value.isEmpty ? nil : HTTPDate.parse(utf8: value)
        case "getetag":
            // It goes back to the server in conditions: one that no header may hold is none.
            response.entryTag = Self.string(value, maxLength: 4096).flatMap { $0.hasControlCharacters ? nil : $0 }
        case "getcontenttype":
            if value.count <= 255, !lastType.utf8.elementsEqual(value) {
                lastType = String(decoding: value, as: UTF8.self)
            }
            response.contentType = value.isEmpty || value.count > 255 ? nil : lastType
        // Some servers have negative numbers here for “unlimited” and “unknown”.
        case "quota-available-bytes": response.quotaAvailable = Self.count(value)
        case "quota-used-bytes": response.quotaUsed = Self.count(value)
        case "checksum": response.checksums = Self.string(value, maxLength: 4096)
        case "trashbin-original-location":
            response.trashLocation = value.isEmpty || value.count > Self.maxHrefLength ? nil : Array(value)
        case "trashbin-deletion-time":
            response.trashDate = Self.count(value).map { Date(timeIntervalSince1970: Double($0)) }
        case "fileid": response.fileID = Self.string(value, maxLength: 255)
        default: break
        }
    }

    /// The direct children of a response. Elements of the same names are also deeper, in an error description.
    private func takeOutside(_ value: UnsafeBufferPointer<UInt8>, of element: String) {
        guard depth == responseDepth + 1 else { return }
        switch element {
        case "href":
            if response.href.isEmpty {
                response.href = Array(value)
            } else if response.moreHrefs.count < 1000, moreBytes < Self.maxHrefLength {
                moreBytes += value.count
                response.moreHrefs.append(Array(value))
            }
        case "status": response.status = Self.status(value)
        case "responsedescription": response.words = Self.string(value).map { String($0.prefix(200)) }
        default: break
        }
    }

    private static func string(_ value: UnsafeBufferPointer<UInt8>, maxLength: Int = .max) -> String? {
        value.isEmpty || value.count > maxLength ? nil : String(decoding: value, as: UTF8.self)
    }

    private static func count(_ value: UnsafeBufferPointer<UInt8>) -> Int64? {
        if value.count == 1, let digit = value.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
            return Int64(digit & 15)
        }
        return Int64(String(decoding: value, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The number in `HTTP/1.1 200 OK`.
    private static func status(_ value: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let space = value.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let digits = value[(space + 1)...].drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return digits.reduce(0) { $0 * 10 + Int($1 & 15) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Without white space at either end.
    fileprivate var trimmed: UnsafeBufferPointer<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return UnsafeBufferPointer(rebasing: self[..<0])
        }
        return UnsafeBufferPointer(rebasing: self[first...last])
    }
}
