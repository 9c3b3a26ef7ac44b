import FileProviderCore
import Foundation

/// Paths as keys of the database: NUL, which no name holds, stands between names, so that bytewise order is the order
/// of a tree.
enum SyncKey {
    private static let slash = UInt8(ascii: "/")

    static func data(_ path: ProviderPath) -> Data { Data(path.bytes.map { $0 == slash ? 0 : $0 }) }

    static func path(_ key: Data) throws -> ProviderPath { try ProviderPath(bytes: key.map { $0 == 0 ? slash : $0 }) }

    static func depth(_ path: ProviderPath) -> Int { path.bytes.count { $0 == slash } }

    /// What every storage keeps apart, with no regard to case or to Unicode normalization.
    static func folded(_ path: ProviderPath) -> String { normalized(path.string.lowercased()) }

    /// `text` in Normalization Form C.
    static func normalized(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
    }

    /// Whether two paths differ in their Unicode normalization alone, which is what strings are compared without.
    static func isOneForm(_ path: ProviderPath, _ other: ProviderPath) -> Bool { path.string == other.string }
}
