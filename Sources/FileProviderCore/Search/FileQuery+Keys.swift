public import Foundation

extension FileQuery {
    /// The names of an item's properties in predicates.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        /// The value of ``FileObjectKey/url``.
        case url
        /// The name that is shown.
        case name
        /// The path as a string.
        case path
        /// Bytes; unknown for folders.
        case fileSize
        /// When the item was created.
        case creationDate
        /// When its bytes last changed.
        case modifiedDate
        /// Whether the name starts with a dot.
        case isHidden
        /// Whether any write permission bit is set.
        case isWritable
        /// The value of ``FileObjectKey/serverDate``.
        case serverDate
        /// The version, as the server sent it.
        case entryTag
        /// The media type, as the server sent it.
        case mimeType
        /// The opposite of ``isWritable``.
        case isReadOnly
        /// Whether it is a folder.
        case isDirectory
        /// Whether it is a regular file.
        case isRegularFile
        /// Whether it is a symbolic link.
        case isSymLink
        /// The raw value of ``FileType``.
        case type

        /// Other accepted names: those of other frameworks' predicates, and the names of ``FileObject`` itself.
        static let aliases: [String: Key] = [
            "filesize": .fileSize, "size": .fileSize, "eTag": .entryTag, "isSymbolicLink": .isSymLink,
        ]

        /// The key of this name, which is case-sensitive; nil if there is none.
        package init?(named name: String) {
            guard let key = Key(rawValue: name) ?? Key.aliases[name] else { return nil }
            self = key
        }
    }
}

extension FileObject {
    /// Returns the item's known properties by the key names of predicates.
    ///
    /// Texts are `String`, `fileSize` is `Int64`, dates are `Date`, keys that start with `is` are `Bool`, `url` is
    /// `URL`, and `type` is the raw value of ``FileType``. The result also has the second names `filesize`, `size`,
    /// `eTag` and `isSymbolicLink`.
    public func mapPredicate() -> [String: Any] {
        var properties: [String: Any] = [:]
        for key in FileQuery.Key.allCases { properties[key.rawValue] = value(of: key) }
        for (name, key) in FileQuery.Key.aliases { properties[name] = value(of: key) }
        return properties
    }

    /// Returns the value of `key`; nil if unknown.
    func value(of key: FileQuery.Key) -> (any Sendable)? {
        switch key {
        case .url: self[.url]
        case .name: name
        case .path: path.string
        case .fileSize: size
        case .creationDate: creationDate
        case .modifiedDate: modifiedDate
        case .isHidden: isHidden
        case .isWritable: isWritable
        case .serverDate: self[.serverDate]
        case .entryTag: entryTag
        case .mimeType: mimeType
        case .isReadOnly: isWritable.map(!)
        case .isDirectory: isDirectory
        case .isRegularFile: isRegularFile
        case .isSymLink: isSymbolicLink
        case .type: type.rawValue
        }
    }

    /// Whether any write permission bit is set; nil if permissions are unknown.
    var isWritable: Bool? { permissions.map { $0 & 0o222 != 0 } }
}

extension FileObjectKey<URL> {
    /// The item's URL, if its creator set it; Core's search sets it if the query needs it.
    public static var url: Self { Self("url") }
}

extension FileObjectKey<Date> {
    /// The server's clock at the time of its answer, if a provider keeps it.
    public static var serverDate: Self { Self("serverDate") }
}
