import Carrel
import Foundation

/// An item in the contract's JSON.
struct ShownItem: Encodable {
    var path: String
    var name: String
    var type: String
    var size: Int64?
    var modified: String?
    var etag: String?
    var mimeType: String?
    var permissions: String?
    var linkTarget: String?
    var nameBytes: String?

    init(_ item: FileObject) {
        path = item.path.string
        name = item.name
        type = item.type.rawValue
        size = item.size
        modified = item.modifiedDate.map { $0.formatted(Date.ISO8601FormatStyle()) }
        etag = item.entryTag
        mimeType = item.mimeType
        permissions = item.permissions.map { String(format: "%04o", Int($0)) }
        linkTarget = item.linkTarget.map { String(decoding: $0, as: UTF8.self) }
        if String(validating: item.path.nameBytes, as: UTF8.self) == nil { nameBytes = Data(item.path.nameBytes).base64EncodedString() }
    }
}

extension FileObject {
    /// One line of a long listing: kind and permissions, bytes, time, name.
    var longLine: String {
        let kind =
            switch type {
            case .regular: "-"
            case .directory: "d"
            case .symbolicLink: "l"
            case .other: "?"
            }
        let rights = permissions.map { Self.rights[Int($0 & 0o777)] } ?? "         "
        let bytes = (size.map(String.init) ?? "-").padding(left: 12)
        let time = modifiedDate.map { $0.formatted(Date.ISO8601FormatStyle()) } ?? "                   -"
        let target = linkTarget.map { " -> " + String(decoding: $0, as: UTF8.self) } ?? ""
        return "\(kind)\(rights) \(bytes) \(time) \(name)\(target)"
    }

    /// What stands for each of the lowest nine bits, made once: a folder may have very many items.
    private static let rights = (0..<512).map { bits in
        String(zip(0..<9, "rwxrwxrwx").map { bits & (0o400 >> $0) != 0 ? $1 : "-" })
    }
}

extension String {
    fileprivate func padding(left width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
