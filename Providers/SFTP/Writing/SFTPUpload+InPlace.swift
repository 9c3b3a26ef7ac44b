import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPUpload {
    /// Writes to the path itself.
    func writeInPlace() async throws -> FileObject {
        let isMissing = try await connection.run(path) { session in
            let item: FileObject?
            do { item = try await provider.item(path, session) } catch let error where error.isRefusal {
                // If the account may not look, the opening shows whether the name is in use.
                return false
            }
            guard let item else { return true }
            if !options.overwrite { throw taken }
            if item.isDirectory { try await provider.removeOne(item, session) }
            return item.isDirectory
        }
        do {
            let sent = try await send()
            state.update { $0.stage = .placed }
            return finished(sent)
        } catch {
            // The name was free before, so the file there is this upload's.
            if isMissing, !error.isFileExists, !error.isNoSuchFile { await removeNow() }
            throw error
        }
    }
}
