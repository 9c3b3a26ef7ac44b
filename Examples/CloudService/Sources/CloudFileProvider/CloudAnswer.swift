import Foundation
import HTTPFileProvider

/// An answer, or a part of one, with the API's names.
@dynamicMemberLookup struct CloudAnswer {
    let value: Any?

    init(_ value: Any?) { self.value = value }
    init(data: Data) { value = try? JSONSerialization.jsonObject(with: data) }

    subscript(key: String) -> CloudAnswer { CloudAnswer((value as? [String: Any])?[key]) }
    subscript(dynamicMember key: String) -> CloudAnswer { self[key] }
    var text: String? { value as? String }
    var number: Int64? { (value as? Int).map { Int64($0) } }
    var isTrue: Bool { value as? Bool == true }
    var isDeleted: Bool { self[".tag"].text == "deleted" }

    /// - Throws: `URLError(.badServerResponse)` for what is no answer of this API.
    func required<Value>(_ type: Value.Type = Value.self) throws -> Value {
        if let value = value as? Value { return value }
        throw FileError.make(.badServerResponse, url: nil, sentence: "The server sent no answer of the cloud’s API.")
    }
    var list: [CloudAnswer] { get throws { try required([Any].self).map { CloudAnswer($0) } } }

    /// The item that the answer describes.
    func object(at path: ProviderPath) throws -> FileObject {
        let isFolder = try self[".tag"].required() == "folder"
        var item = FileObject(path: path, type: isFolder ? .directory : .regular, size: self.size.number)
        item.name = try self.name.required()
        item.modifiedDate = self.client_modified.text.flatMap { try? Date($0, strategy: .iso8601) }
        item.entryTag = self.rev.text.map { "\"\($0)\"" }
        item.identity = self.id.text
        item[CloudService.contentHash] = self.content_hash.text
        return item
    }

    /// The item, with `folder` as it was asked for, and the names below it as they are spelled.
    func object(below folder: ProviderPath) throws -> FileObject {
        let names = try ProviderPath(self.path_display.required()).components.dropFirst(folder.components.count)
        return try object(at: names.reduce(folder) { try $0.appending(nameBytes: $1) })
    }
}
