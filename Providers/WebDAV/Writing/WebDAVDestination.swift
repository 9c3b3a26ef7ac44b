import FileProviderCore
import Foundation

extension WebDAVFileProvider {
    /// Refuses a place that this server would take for another one, or overwrite unasked: servers read `Destination`
    /// with separate code.
    ///
    /// - Complexity: One request without `overwrite` where the server moves onto folders, else none.
    /// - Throws: `CocoaError(.fileWriteInvalidFileName)`; `CocoaError(.fileWriteFileExists)`.
    func checkDestination(_ path: ProviderPath, overwrite: Bool) async throws {
        let quirks = try await quirks()
        try refuseRawName(path, quirks: quirks)
        let misread = quirks.misreadFolders + quirks.misreadDestinations
        if path.components.joined().contains(where: misread.contains)
            || path.nameBytes.contains(where: quirks.misreadNames.contains)
        {
            throw self.misread(path)
        }
        if !overwrite, quirks.movesOntoFolders, try await itemIfSeen(path)?.isDirectory == true {
            throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path))
        }
    }

    /// Refuses a folder into which nothing could be moved.
    ///
    /// - Throws: `CocoaError(.fileWriteInvalidFileName)`.
    func refuseMisreadFolder(_ path: ProviderPath) async throws {
        let quirks = try await quirks()
        try refuseRawName(path, quirks: quirks)
        if path.components.joined().contains(where: quirks.misreadFolders.contains) { throw misread(path) }
    }

    /// Refuses a name that is no UTF-8 where the server would write other characters in place of its bytes.
    ///
    /// - Throws: `CocoaError(.fileWriteInvalidFileName)`.
    func refuseRawName(_ path: ProviderPath, quirks: WebDAVQuirks) throws {
        guard !quirks.keepsRawNames, path.components.contains(where: { String(validating: $0, as: UTF8.self) == nil })
        else { return }
        throw misread(path)
    }

    private func misread(_ path: ProviderPath) -> CocoaError {
        FileError.make(
            .fileWriteInvalidFileName, path: path, url: url(of: path),
            sentence: "This server would keep “\(path)” under another name.")
    }
}
