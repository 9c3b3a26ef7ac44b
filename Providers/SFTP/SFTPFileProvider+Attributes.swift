public import FileProviderCore
public import Foundation
import SFTPEngine

extension SFTPFileProvider: FileProviderAttributes {
    /// Sets attributes with `SETSTAT`; of a link with `lsetstat@openssh.com`, if the server has it.
    ///
    /// - Throws: Also `CocoaError(.featureUnsupported)` for a time before 1970 or after 2106, which SFTP cannot
    ///   represent.
    /// - Complexity: Two round trips.
    public func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws {
        defer { cache.drop(path) }
        try await connection.run(path) { session in
            guard let item = try await self.item(path, session) else { throw self.missing(path, isWriting: true) }
            let time = try modificationDate.map { date in
                guard let time = Self.time(date) else {
                    throw FileError.unsupported(
                        "set a time before 1970 or after 2106", by: Self.type, path: path, url: self.url(of: path))
                }
                return time
            }
            let attributes = SFTPAttributes(
                permissions: permissions.map { UInt32($0 & 0o7777) }, times: time.map { (access: $0, modification: $0) }
            )
            let name = self.connection.host.bytes(of: path)
            if item.isSymbolicLink, !self.connection.host.has(.lsetstat, session) {
                throw FileError.unsupported(
                    "set attributes of a symbolic link", by: Self.type, path: path, url: self.url(of: path))
            }
            let reply = try await self.connection.send(
                item.isSymbolicLink ? .lsetstat(name, attributes) : .setstat(name, attributes), session)
            if reply.status?.isOK != true { throw try await self.refusal(reply, ofChanging: path, session) }
        }
    }

    /// Seconds since 1970 as an unsigned 32-bit number.
    static func time(_ date: Date) -> UInt32? { UInt32(exactly: date.timeIntervalSince1970.rounded(.down)) }
}
