public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider {
    /// Returns the volume's properties with `statvfs@openssh.com`: of the provider's root or, if the server refuses
    /// that, of the folder in which a login begins; nil if the server does not have the extension.
    ///
    /// - Complexity: One round trip; two where the root is refused.
    public func storageProperties() async throws -> VolumeObject? {
        try await connection.run(.root) { session in
            let host = self.connection.host
            guard host.has(.statvfs, session) else { return nil }
            var reply = try await self.connection.send(.statvfs(host.bytes(of: .root)), session)
            if let status = reply.status, status.code != SFTPStatus.Code.unsupported {
                // The account may look at its login folder.
                reply = try await self.connection.send(.statvfs(Array(".".utf8)), session)
            }
            switch reply {
            case .extended(let reply):
                guard let volume = try? SFTPVolume(reply: reply) else { throw self.unexpected(.root) }
                return VolumeObject(
                    totalCapacity: Int64(clamping: volume.capacity),
                    availableCapacity: Int64(clamping: volume.available),
                    usage: Int64(clamping: volume.capacity) - Int64(clamping: volume.free),
                    isReadOnly: volume.isReadOnly)
            case .status(let status) where status.code == SFTPStatus.Code.unsupported:
                host.lacks(.statvfs)
                return nil
            case .status(let status): throw SFTPRefusal(status: status)
            default: throw self.unexpected(.root)
            }
        }
    }
}
