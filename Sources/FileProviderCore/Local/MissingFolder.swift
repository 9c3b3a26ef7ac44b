package import Foundation

/// Folders of this machine that a program needs for its own files, and creates if they are missing.
package enum MissingFolder {
    /// Creates `folder` and the missing folders above it. Leaves a folder that exists as it is. Blocks.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether only this user may open the new folders.
    ///   - file: A file that needs the folder, such as a “state”. The error is about this file then.
    /// - Throws: `CocoaError(.fileWriteNoPermission)`, `CocoaError(.fileWriteVolumeReadOnly)` or
    ///   `CocoaError(.fileWriteOutOfSpace)`; `CocoaError(.fileWriteUnknown)` for any other reason. The sentence has the
    ///   path and the reason.
    package static func create(
        _ folder: URL, isPrivate: Bool = true, of file: (noun: String, path: String)? = nil
    ) throws {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: isPrivate ? [.posixPermissions: 0o700] : nil)
        } catch {
            let failure = error as? CocoaError
            let known: [CocoaError.Code] = [.fileWriteNoPermission, .fileWriteVolumeReadOnly, .fileWriteOutOfSpace]
            let cause = failure?.underlying as? POSIXError
            let reason = cause.map { ": " + String(cString: strerror($0.code.rawValue)) } ?? ""
            let name = file.map { "of the \($0.noun) “\($0.path)”" } ?? "“\(folder.path)”"
            throw FileError.make(
                known.first { $0 == failure?.code } ?? .fileWriteUnknown, path: file?.path ?? folder.path,
                sentence: "The folder \(name) cannot be created\(reason).", underlying: cause ?? error)
        }
    }
}
