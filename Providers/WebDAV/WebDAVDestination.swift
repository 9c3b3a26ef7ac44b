import FileProviderCore
import Foundation

extension WebDAVFileProvider {
    /// Refuses what this server would take for another place, or overwrite without leave: `Destination` is read by code of its own.
    ///
    /// - Complexity: One request on lighttpd without `overwrite`, else none.
    /// - Throws: `CocoaError(.fileWriteInvalidFileName)`; `CocoaError(.fileWriteFileExists)`.
    func checkDestination(_ path: ProviderPath, overwrite: Bool) async throws {
        try refuseMisreadFolder(path)
        let server = serverName.value ?? ""
        if server.hasPrefix("wsgidav"), path.name.contains(";") { throw misread(path) }
        guard server.hasPrefix("lighttpd") else { return }
        if path.string.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw misread(path) }
        // It puts a file in the place of an empty folder.
        if !overwrite, try await itemIfAny(path)?.isDirectory == true {
            throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path))
        }
    }

    /// Refuses a folder into which nothing could be moved: WsgiDAV decodes a destination before it takes it apart.
    ///
    /// - Throws: `CocoaError(.fileWriteInvalidFileName)`.
    func refuseMisreadFolder(_ path: ProviderPath) throws {
        guard serverName.value?.hasPrefix("wsgidav") == true else { return }
        if path.string.utf8.contains(where: { [0x09, 0x0A, 0x0D, UInt8(ascii: "?")].contains($0) }) { throw misread(path) }
    }

    private func misread(_ path: ProviderPath) -> CocoaError {
        FileError.make(
            .fileWriteInvalidFileName, path: path, url: url(of: path), sentence: "This server would keep “\(path)” under another name.")
    }
}
