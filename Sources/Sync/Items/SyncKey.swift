import FileProviderCore
import Foundation

/// Encodes paths as database keys. NUL, which no name can contain, separates names, so that bytewise order is tree
/// order.
enum SyncKey {
    private static let slash = UInt8(ascii: "/")

    static func data(_ path: ProviderPath) -> Data { Data(path.bytes.map { $0 == slash ? 0 : $0 }) }

    static func path(_ key: Data) throws -> ProviderPath { try ProviderPath(bytes: key.map { $0 == 0 ? slash : $0 }) }

    static func depth(_ path: ProviderPath) -> Int { path.bytes.count { $0 == slash } }

    /// Returns a path's form without case and normalization. Paths with different forms are different on every storage.
    static func folded(_ path: ProviderPath) -> String { normalized(path.string.lowercased()) }

    /// `text` in Normalization Form C.
    static func normalized(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
    }

    /// Whether two paths differ in their Unicode normalization alone, which is what strings are compared without.
    static func isOneForm(_ path: ProviderPath, _ other: ProviderPath) -> Bool { path.string == other.string }
}
