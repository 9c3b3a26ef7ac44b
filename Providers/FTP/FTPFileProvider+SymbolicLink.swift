import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider: FileProviderSymbolicLink {
    /// Makes a link with `SITE SYMLINK`, which few servers have. ProFTPD stores the absolute path of the target, which
    /// must exist.
    public func createSymbolicLink(path: ProviderPath, target: [UInt8]) async throws {
        defer { cache.drop(path) }
        let space = UInt8(ascii: " ")
        try await connection.run(path, mayRepeat: false) { session in
            guard session.host.features?.hasSite("SYMLINK") == true else {
                throw FileError.unsupported(
                    "make symbolic links", by: Self.type, path: path, url: self.url(of: path))
            }
            // The command separates its two arguments with a space.
            let name = try session.host.newBytes(of: path)
            // Servers resolve the target from their working directory.
            let target = target.isEmpty ? target : try session.host.bytes(of: self.resolve(target, from: path))
            guard !target.isEmpty, target.count < 4096, !target.contains(0), !target.contains(space),
                !name.contains(space)
            else {
                throw FileError.make(
                    .fileWriteInvalidFileName, path: path, url: self.url(of: path),
                    sentence: "FTP cannot make a link with a space in its name or target, or with this target.")
            }
            if try await self.item(path, session) != nil {
                throw FileError.make(.fileWriteFileExists, path: path, url: self.url(of: path))
            }
            let reply = try await session.send([
                FTPCommand("SITE", argument: Array("SYMLINK ".utf8) + target + [space] + name)
            ])["SITE"]
            if let reply, !reply.isPositive { throw try await self.refusal(reply, ofWriting: path, session) }
        }
    }

    /// Follows the targets in the listings. If a listing shows a link without its target, asks the server for the item
    /// behind the link.
    public func destinationOfSymbolicLink(path: ProviderPath) async throws -> FileObject {
        var current = path
        for step in 0..<40 {
            let item = try await listedItem(current)
            guard item.isSymbolicLink else {
                if step == 0 { throw FileError.make(errno: EINVAL, path: path, url: url(of: path), writing: false) }
                return item
            }
            guard let target = item.linkTarget, !target.isEmpty else { return try await itemBehind(current) }
            current = try resolve(target, from: current)
        }
        throw FileError.make(errno: ELOOP, path: path, url: url(of: path), writing: false)
    }

    /// The item as its folder's listing shows it, because `MLST` and `SIZE` may follow links.
    private func listedItem(_ path: ProviderPath) async throws -> FileObject {
        guard let parent = path.parent else { return FileObject(path: path, type: .directory) }
        let found = LockedValue<FileObject?>(nil)
        try await contentsOfDirectory(path: parent) { items in
            if let item = items.first(where: { $0.path == path }) { found.update { $0 = item } }
        }
        guard let item = found.value else { throw missing(path) }
        return item
    }

    private func itemBehind(_ path: ProviderPath) async throws -> FileObject {
        try await connection.run(path) { session in
            let name = try session.host.bytes(of: path)
            if try await session.enter(name) == nil { return FileObject(path: path, type: .directory) }
            let outcome = try await session.send(
                session.binary + [FTPCommand("SIZE", argument: name), FTPCommand("MDTM", argument: name)])
            guard let size = outcome.size else { throw self.missing(path) }
            return FileObject(path: path, type: .regular, size: size, modifiedDate: outcome.modificationDate)
        }
    }

    private func resolve(_ target: [UInt8], from link: ProviderPath) throws -> ProviderPath {
        let slash = UInt8(ascii: "/")
        let isAbsolute = target.first == slash
        var names = isAbsolute ? [] : (link.parent ?? .root).components
        for name in target.split(separator: slash) where name != [UInt8(ascii: ".")] {
            if name == Array("..".utf8)[...] {
                guard names.popLast() != nil else { throw leadsOut(link) }
            } else {
                names.append(name)
            }
        }
        if isAbsolute {
            let host = connection.host
            let root = try host.charset.path(of: host.plainBytes(of: .root)).split(separator: slash)
            guard names.starts(with: root) else { throw leadsOut(link) }
            names.removeFirst(root.count)
        }
        return try ProviderPath(bytes: names.joined(separator: [slash]))
    }

    private func leadsOut(_ link: ProviderPath) -> CocoaError {
        FileError.make(
            .fileReadNoPermission, path: link, url: url(of: link), sentence: "“\(link)” leads outside the root.")
    }
}
