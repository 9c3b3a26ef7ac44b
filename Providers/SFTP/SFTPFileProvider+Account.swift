public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider {
    /// Returns the folder in which a login begins, relative to the provider's root: the folder that `/~/` stands for.
    ///
    /// Uses `home-directory` (draft-ietf-secsh-filexfer-extensions-00), `expand-path@openssh.com`, or `REALPATH` of the
    /// session's folder, whichever the server answers first.
    ///
    /// - Throws: `CocoaError(.fileReadNoPermission)` if the folder is outside the provider's root.
    /// - Complexity: One round trip.
    public func homeFolder() async throws -> ProviderPath {
        try await connection.run(.root) { session in
            let host = self.connection.host
            // The root is the login folder.
            if host.bytes(of: .root) == Array(".".utf8) { return .root }
            var requests = [SFTPRequest.realpath(Array(".".utf8))]
            if host.has(.expandPath, session) { requests.insert(.expandPath(Array("~".utf8)), at: 0) }
            if host.has(.homeDirectory, session) { requests.insert(.homeDirectory(), at: 0) }
            for reply in try await self.connection.send(requests, session) {
                guard case .names(let names) = reply, let name = names.first?.filename else { continue }
                guard let home = try? ProviderPath(bytes: name) else { throw self.unexpected(.root) }
                if let path = home.relative(to: host.root) { return path }
                throw FileError.make(
                    .fileReadNoPermission, path: home, url: self.url(of: .root),
                    sentence: "The login folder “\(home)” is outside the root.")
            }
            throw self.unexpected(.root)
        }
    }

    /// The names of users and groups by the numbers that ``FileProviderCore/FileObjectKey/sftpOwner`` and
    /// ``FileProviderCore/FileObjectKey/sftpGroup`` tell.
    ///
    /// - Returns: The names in the order of the numbers; nil for a number without a name. Empty if the server does not
    ///   have `users-groups-by-id@openssh.com`.
    /// - Complexity: One round trip.
    public func ownerNames(users: [UInt32], groups: [UInt32]) async throws -> (users: [String?], groups: [String?]) {
        try await connection.run(.root) { session in
            guard self.connection.host.has(.usersGroups, session) else { return ([], []) }
            switch try await self.connection.send(.usersGroups(users: users, groups: groups), session) {
            case .extended(let reply):
                guard let owners = try? SFTPOwners(reply: reply), owners.users.count == users.count,
                    owners.groups.count == groups.count
                else { throw self.unexpected(.root) }
                return (owners.users.map { $0.isEmpty ? nil : $0 }, owners.groups.map { $0.isEmpty ? nil : $0 })
            case .status(let status): throw SFTPRefusal(status: status)
            default: throw self.unexpected(.root)
            }
        }
    }
}
