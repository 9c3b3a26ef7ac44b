public import Foundation

extension FileQuery {
    /// What predicates call an item's properties.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        /// What stands under ``FileObjectKey/url``.
        case url
        /// The name that is shown.
        case name
        /// The path as a string.
        case path
        /// Bytes; unknown for folders.
        case fileSize
        /// When the item was made.
        case creationDate
        /// When its bytes last changed.
        case modifiedDate
        /// Whether the name starts with a dot.
        case isHidden
        /// Whether any write permission bit is set.
        case isWritable
        /// What stands under ``FileObjectKey/serverDate``.
        case serverDate
        /// The version, as the server gave it.
        case entryTag
        /// The media type, as the server gave it.
        case mimeType
        /// The opposite of ``isWritable``.
        case isReadOnly
        /// Whether it is a folder.
        case isDirectory
        /// Whether it is a file with bytes of its own.
        case isRegularFile
        /// Whether it is a symbolic link.
        case isSymLink
        /// The raw value of ``FileType``.
        case type

        /// Second names: what predicates may know from elsewhere, and the names of ``FileObject`` itself.
        static let aliases: [String: Key] = [
            "filesize": .fileSize, "size": .fileSize, "eTag": .entryTag, "isSymbolicLink": .isSymLink,
        ]

        /// The key of this name, upper and lower case told apart; nil where there is none.
        package init?(named name: String) {
            guard let key = Key(rawValue: name) ?? Key.aliases[name] else { return nil }
            self = key
        }
    }
}

extension FileObject {
    /// The item's properties under the key names of predicates, what is unknown left out.
    ///
    /// Texts are `String`, `fileSize` is `Int64`, dates are `Date`, what starts with `is` is `Bool`, `url` is `URL`,
    /// and `type` is the raw value of ``FileType``. `filesize`, `size`, `eTag` and `isSymbolicLink` stand there as
    /// second names.
    public func mapPredicate() -> [String: Any] {
        var properties: [String: Any] = [:]
        for key in FileQuery.Key.allCases { properties[key.rawValue] = value(of: key) }
        for (name, key) in FileQuery.Key.aliases { properties[name] = value(of: key) }
        return properties
    }

    /// What stands under `key`; nil where unknown.
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

    /// Whether any write permission bit is set; nil where permissions are unknown.
    var isWritable: Bool? { permissions.map { $0 & 0o222 != 0 } }
}

extension FileObjectKey<URL> {
    /// The item's URL, where whoever made the item said it; Core's search does where the query asks for it.
    public static var url: Self { Self("url") }
}

extension FileObjectKey<Date> {
    /// The server's clock when it told of the item, where a provider keeps it.
    public static var serverDate: Self { Self("serverDate") }
}
