public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider: FileProviderSymbolicLink {
    /// Makes a link with `SYMLINK`. Some servers expect its arguments in the draft's order, most in OpenSSH's, so the
    /// first link that is made on a server is read back.
    ///
    /// - Complexity: Two round trips; three for the first.
    public func createSymbolicLink(path: ProviderPath, target: [UInt8]) async throws {
        defer { cache.drop(path) }
        guard (1..<4096).contains(target.count), !target.contains(0) else {
            throw FileError.make(
                .fileWriteInvalidFileName, path: path, url: url(of: path),
                sentence: "“\(path)” cannot be made: no symbolic link can hold its target.")
        }
        try await connection.run(path, mayRepeat: false) { session in
            // Looked up first: with the arguments swapped, the refusal would be about another name.
            if try await self.item(path, session) != nil {
                throw FileError.make(.fileWriteFileExists, path: path, url: self.url(of: path))
            }
            if self.connection.host.hasReversedLinks == nil {
                try await self.learnOrder(beside: path, session: session)
            }
            try await self.makeLink(path, target, session)
        }
    }

    private func makeLink(_ path: ProviderPath, _ target: [UInt8], _ session: SFTPSession) async throws {
        let host = connection.host
        let reply = try await connection.send(
            .symlink(host.bytes(of: path), to: target, isReversed: host.hasReversedLinks ?? true), session)
        if reply.status?.isOK == true { return }
        throw try await refusal(reply, ofWriting: path, session)
    }

    /// Makes a link between two temporary names, of which only one can be the link, and looks which.
    private func learnOrder(beside path: ProviderPath, session: SFTPSession) async throws {
        let host = connection.host
        let (link, target) = (
            host.bytes(of: try TemporaryName.make(beside: path)), host.bytes(of: try TemporaryName.make(beside: path))
        )
        // Together, so that nothing stays behind however this ends.
        let replies = try await connection.send(
            [
                .symlink(link, to: target, isReversed: true), .readlink(link), .readlink(target), .remove(link),
                .remove(target),
            ], session)
        guard replies[0].status?.isOK == true else { throw try await refusal(replies[0], ofWriting: path, session) }
        if case .names = replies[1] { host.hasReversedLinks = true }
        if case .names = replies[2] { host.hasReversedLinks = false }
    }

    /// Follows links with `READLINK`, one after the other, and then looks at the final target.
    public func destinationOfSymbolicLink(path: ProviderPath) async throws -> FileObject {
        try await connection.run(path) { session in
            var current = path
            for step in 0..<40 {
                guard let item = try await self.item(current, session) else { throw self.missing(current) }
                guard item.isSymbolicLink else {
                    if step == 0 {
                        throw FileError.make(errno: EINVAL, path: path, url: self.url(of: path), writing: false)
                    }
                    return item
                }
                current = try self.resolve(try await self.target(of: current, session), from: current)
            }
            throw FileError.make(errno: ELOOP, path: path, url: self.url(of: path), writing: false)
        }
    }

    private func target(of path: ProviderPath, _ session: SFTPSession) async throws -> [UInt8] {
        switch try await connection.send(.readlink(connection.host.bytes(of: path)), session) {
        case .names(let names) where names.count == 1: return names[0].filename
        case .status(let status): throw SFTPRefusal(status: status)
        default: throw unexpected(path)
        }
    }

    /// Where a link at `path` that holds `target` leads.
    private func resolve(_ target: [UInt8], from path: ProviderPath) throws -> ProviderPath {
        let slash = UInt8(ascii: "/")
        let isAbsolute = target.first == slash
        let outside = FileError.make(
            .fileReadNoPermission, path: path, url: url(of: path),
            sentence: "“\(path)” leads outside the root, and is not followed."
        )
        var names = isAbsolute ? [] : path.parent?.components.map { Array($0) } ?? []
        for name in target.split(separator: slash) where name.elementsEqual(".".utf8) == false {
            guard name.elementsEqual("..".utf8) else {
                names.append(Array(name))
                continue
            }
            // Above the login folder, no name is relative to it.
            if names.isEmpty || names == [Array("~".utf8)] { throw outside }
            names.removeLast()
        }
        let whole = try ProviderPath(bytes: Array(names.joined(separator: [slash])))
        guard isAbsolute else { return whole }
        guard let relative = whole.relative(to: connection.host.root) else { throw outside }
        return relative
    }
}
