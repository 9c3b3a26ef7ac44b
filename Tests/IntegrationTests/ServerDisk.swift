import FileProviderCore
import Foundation
import ProviderDoubles

/// A server whose files lie on this machine.
protocol ServerDisk {
    /// The folder on this machine that the server shows.
    var data: URL { get }
}

extension ServerDisk {
    func location(_ path: ProviderPath) -> URL { data.appending(path: path.string) }

    /// What the server would have written: as root, this process would leave files that it cannot change.
    func give(_ path: ProviderPath) throws {
        let owner = try FileManager.default.attributesOfItem(atPath: data.path)
        for key in [FileAttributeKey.ownerAccountID, .groupOwnerAccountID] {
            guard let id = owner[key] else { continue }
            try FileManager.default.setAttributes([key: id], ofItemAtPath: location(path).path)
        }
    }

    func put(_ path: ProviderPath, _ content: Data = Data()) throws {
        try content.write(to: location(path))
        try give(path)
    }

    func link(_ path: ProviderPath, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: location(path).path, withDestinationPath: target)
    }

    func isThere(_ path: ProviderPath) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: location(path).path)) != nil
    }

    /// The names in a folder, hidden ones among them.
    func names(_ path: ProviderPath) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: location(path).path).sorted()
    }

    /// The names in a folder as soon as they are these, or else after a minute: Apache's own temporary file goes when
    /// Apache sees that the connection has.
    func names(_ path: ProviderPath, onceTheyAre expected: [String]) async throws -> [String] {
        do { try await eventually { try names(path) == expected } } catch is DidNotHappen {}
        return try names(path)
    }

    func modified(_ path: ProviderPath) throws -> Date? {
        try FileManager.default.attributesOfItem(atPath: location(path).path)[.modificationDate] as? Date
    }
}
