public import FileProviderCore
import Foundation

/// One `response` of a multi-status (RFC 4918, section 14.24).
struct DAVResponse: Sendable {
    /// As the server wrote it, without white space around it.
    var href: [UInt8] = []
    /// Further items that ``status`` holds for.
    var moreHrefs: [[UInt8]] = []
    /// The status of the item itself, where the response has one; where all its properties failed, that of the first.
    var status: Int?
    /// The server's description for people.
    var words: String?
    /// The properties with status 200; others are missing.
    var isCollection = false
    var size: Int64?
    var modified: Date?
    var created: Date?
    var entryTag: String?
    var contentType: String?
    var quotaAvailable: Int64?
    var quotaUsed: Int64?
    /// Hashes in ownCloud's form, such as `SHA1:… MD5:…`.
    var checksums: String?
    /// An identifier that stays the same when the item is moved or changed.
    var fileID: String?
    /// Of an item in Nextcloud's trash: where it was, counted from the user's files, and when it was removed.
    var trashLocation: [UInt8]?
    var trashDate: Date?

    /// Whether the response reports an item that doesn't exist or could not be processed.
    var hasFailed: Bool { (status ?? 200) >= 300 }
}

extension DAVResponse {
    /// The item at `path` as a provider shows it.
    func item(at path: ProviderPath) -> FileObject {
        // An item that exists but may not be looked at has an unknown type.
        if hasFailed { return FileObject(path: path, type: .other) }
        var item = FileObject(
            path: path, type: isCollection ? .directory : .regular, size: isCollection ? nil : size,
            modifiedDate: modified,
            entryTag: entryTag)
        item.creationDate = created
        item.mimeType = contentType
        if let checksums { item[.checksums] = Self.hashes(in: checksums) }
        if let fileID { item[.fileIdentifier] = fileID }
        return item
    }

    /// `SHA1:0a… MD5:1b…` by the hashes' names in lower case.
    private static func hashes(in text: String) -> [String: String] {
        let pairs = text.split(whereSeparator: \.isWhitespace).compactMap { word -> (String, String)? in
            guard let colon = word.firstIndex(of: ":") else { return nil }
            return (word[..<colon].lowercased(), word[word.index(after: colon)...].lowercased())
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension FileObjectKey<[String: String]> {
    /// Hashes of the content in hexadecimal, by their names in lower case, such as `sha1`. Nextcloud and ownCloud keep
    /// those that the uploader sent.
    public static var checksums: Self { Self("webdav.checksums") }
}

extension FileObjectKey<String> {
    /// An identifier that stays the same when an item is renamed, moved or changed, from Nextcloud and ownCloud.
    public static var fileIdentifier: Self { Self("webdav.fileIdentifier") }
}
