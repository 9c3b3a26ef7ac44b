import FileProviderCore
package import Foundation
package import GRDB

extension DatabaseError {
    /// Returns SQLite's error as a Foundation error. Source: sqlite.org/rescode.html.
    package func fileError(path: String) -> CocoaError {
        let name = (path as NSString).lastPathComponent
        switch resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return FileError.make(
                .fileReadCorruptFile, path: path, sentence: "The database “\(name)” is damaged.", underlying: self)
        case .SQLITE_FULL: return FileError.make(.fileWriteOutOfSpace, path: path, underlying: self)
        case .SQLITE_READONLY, .SQLITE_PERM: return FileError.make(.fileWriteNoPermission, path: path, underlying: self)
        case .SQLITE_TOOBIG: return FileError.make(.fileReadTooLarge, path: path, underlying: self)
        default:
            let sentence = "The database “\(name)” failed: \(message ?? "error \(extendedResultCode.rawValue)")."
            return FileError.make(.fileWriteUnknown, path: path, sentence: sentence, underlying: self)
        }
    }

    /// Whether the file itself is damaged.
    package var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_TOOBIG].contains(resultCode) }
}
