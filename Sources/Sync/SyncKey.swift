import FileProviderCore
import Foundation

/// Paths as keys of the database: NUL, which no name holds, stands between names, so that bytewise order is the order of a tree.
enum SyncKey {
    private static let slash = UInt8(ascii: "/")

    static func data(_ path: ProviderPath) -> Data { Data(path.bytes.map { $0 == slash ? 0 : $0 }) }

    static func path(_ key: Data) throws -> ProviderPath { try ProviderPath(bytes: key.map { $0 == 0 ? slash : $0 }) }

    static func depth(_ path: ProviderPath) -> Int { path.bytes.count { $0 == slash } }

    /// What a storage without regard to case keeps apart.
    static func folded(_ path: ProviderPath) -> String { path.string.lowercased() }
}
