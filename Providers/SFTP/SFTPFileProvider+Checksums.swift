public import FileProviderCore
import Foundation

/// The hashes that the account's shell may be asked for.
enum SFTPHash: String, CaseIterable, Sendable {
    case sha256, sha512, sha1, md5

    /// The name of the command in GNU coreutils and BusyBox.
    var command: String { rawValue + "sum" }

    var digits: Int {
        switch self {
        case .sha256: 64
        case .sha512: 128
        case .sha1: 40
        case .md5: 32
        }
    }
}

extension SFTPFileProvider: FileProviderChecksums {
    /// Seconds for which the command may be silent. It is silent while it reads the file.
    private static let maxHashTime = 3600.0

    /// Returns a checksum from a command of the account's shell, such as `sha256sum`, if the configuration allows it
    /// and the account has a shell.
    ///
    /// The shell's paths are used. They differ from SFTP's if the account's SFTP is confined to a folder.
    ///
    /// - Complexity: Five round trips and the time that the server takes to read the file.
    public func checksum(of path: ProviderPath, kind: String) async throws -> String {
        guard configuration.usesShell, let hash = SFTPHash(rawValue: kind) else {
            throw FileError.unsupported(
                "compute a checksum of the kind “\(kind)”", by: Self.type, path: path, url: url(of: path))
        }
        let item = try await connection.run(path) { try await self.item(path, $0, followsLinks: true) }
        guard let item else { throw missing(path) }
        if item.isDirectory { throw FileError.isADirectory(path, url: url(of: path)) }
        guard let name = String(validating: Self.quoted(connection.host.bytes(of: path)), as: UTF8.self) else {
            throw FileError.unsupported(
                "compute a checksum of a file whose name is not UTF-8", by: Self.type, path: path, url: url(of: path))
        }
        let (status, output) = try await connection.options.retries.run(
            counters: connection.options.counters, mayRepeat: { $0.isTransient && ($0 as? URLError)?.code != .timedOut }
        ) {
            try await self.connection.logged("checksum", path) {
                try await self.connection.pool.link().run("\(hash.command) < \(name)", idle: Self.maxHashTime)
            }
        }
        let value = String(decoding: output.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self).lowercased()
        guard status == 0, value.count == hash.digits, value.allSatisfy(\.isHexDigit) else {
            throw FileError.make(
                .featureUnsupported, path: path, url: url(of: path),
                sentence:
                    "The account's shell did not compute \(kind) of “\(path)” (\(hash.command) ended with \(status)).")
        }
        return value
    }

    /// Quotes the bytes as one word of a POSIX shell (POSIX.1-2017, Shell Command Language, section 2.2.2).
    static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "'")
        var word = [quote]
        for byte in bytes {
            if byte == quote { word += Array(#"'\''"#.utf8) } else { word.append(byte) }
        }
        return word + [quote]
    }
}
