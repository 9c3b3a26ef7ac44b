import FileProviderCore
import Foundation

import SFTPFileProvider

/// Each kind of operation, with the files of ``SFTPFaults``.
enum SFTPActivity: String, CaseIterable, Sendable {
    case look
    case list
    case read
    case readPart
    case publish
    case replace
    case writeInPlace
    case publishLarge
    case makeFolder
    case move
    case moveOver
    case copy
    case remove
    case removeTree
    case setAttributes
    case link

    static let content = Data("new content".utf8)
    static let large = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 | 1) })

    /// Whether it only looks.
    var isReading: Bool { [.look, .list, .read, .readPart].contains(self) }

    func run(_ provider: SFTPFileProvider, _ name: String = "new") async throws {
        let (book, old, new) = (try ProviderPath("book"), try ProviderPath("old"), try ProviderPath(name))
        switch self {
        case .look: _ = try await provider.attributesOfItem(path: book)
        case .list: _ = try await provider.contentsOfDirectory(path: ProviderPath("shelf"))
        case .read: _ = try await provider.contents(path: book)
        case .readPart: _ = try await provider.contents(path: book, part: .range(100..<200))
        case .publish: _ = try await provider.writeContents(path: new, contents: Self.content)
        case .replace: _ = try await provider.writeContents(path: old, contents: Self.content, overwrite: true)
        case .writeInPlace:
            _ = try await provider.writeContents(
                path: new, from: DataSource(Self.content), options: WriteOptions(placement: .inPlace))
        case .publishLarge: _ = try await provider.writeContents(path: new, contents: Self.large)
        case .makeFolder: try await provider.createFolder(path: new)
        case .move: try await provider.moveItem(path: old, to: new)
        case .moveOver: try await provider.moveItem(path: book, to: old, overwrite: true)
        case .copy: try await provider.copyItem(path: book, to: new)
        case .remove: try await provider.removeItem(path: old)
        case .removeTree: try await provider.removeItem(path: ProviderPath("shelf"), recursive: true)
        case .setAttributes: try await provider.setAttributes(path: old, permissions: 0o600, modificationDate: nil)
        case .link: try await provider.createSymbolicLink(path: new, text: "book")
        }
    }
}
