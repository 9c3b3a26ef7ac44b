public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider {
    /// Returns an item's attributes with `LSTAT`.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        if let item = cache.item(at: path) { return item }
        return try await connection.run(path) { session in
            guard let item = try await self.item(path, session) else { throw self.missing(path) }
            return item
        }
    }

    /// Lists a folder with `OPENDIR` and `READDIR`, with many requests in flight. Attributes arrive with the names.
    ///
    /// - Throws: Also `CocoaError(.fileReadTooLarge)` behind ten million items or 256 MiB of names;
    ///   ``/FileProviderCore/FileError/unusableNames(_:in:url:)`` after the last page, if names were left out that no
    ///   path can hold or that came twice.
    /// - Complexity: Two round trips, and one more each time that the server has given twice as much as before.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        if let known = cache.contents(of: path) { return try await page(known) }
        let record = cache.record(of: path)
        let hasBegun = LockedValue(false)
        try await connection.options.retries.run(
            counters: connection.options.counters, mayRepeat: { $0.isTransient && !hasBegun.value }
        ) {
            try await self.connection.logged("list", path) {
                do {
                    let session = try await self.connection.pool.session()
                    try await self.list(path, session) { items in
                        hasBegun.update { $0 = true }
                        record.add(items)
                        try await page(items)
                    }
                } catch { throw self.connection.translated(error, path: path) }
            }
        }
        record.keep()
    }

    func missing(_ path: ProviderPath, isWriting: Bool = false, underlying: (any Error)? = nil) -> CocoaError {
        FileError.make(
            isWriting ? .fileNoSuchFile : .fileReadNoSuchFile, path: path, url: url(of: path), underlying: underlying)
    }

    /// The item at `path`; nil if there is none.
    func item(_ path: ProviderPath, _ session: SFTPSession, followsLinks: Bool = false) async throws -> FileObject? {
        let name = connection.host.bytes(of: path)
        if followsLinks { return try item(await connection.send(.stat(name), session), at: path) }
        var replies = try await connection.send(
            connection.host.mayFollow(session) ? [.lstat(name), .readlink(name)] : [.lstat(name)], session)
        guard var item = try item(replies[0], at: path) else { return nil }
        if replies.count == 1, item.isSymbolicLink {
            replies.append(try await connection.send(.readlink(name), session))
        }
        guard replies.count > 1, case .names(let target) = replies[1] else { return item }
        if !item.isSymbolicLink { item = FileObject(path: path, type: .symbolicLink) }
        item.linkTarget = target.first?.filename
        return item
    }

    /// Whether an item is seen at `path`; false if the server refuses to show it.
    func isThere(_ path: ProviderPath, _ session: SFTPSession) async throws -> Bool {
        do { return try await item(path, session) != nil } catch let error where error.isRefusal { return false }
    }

    /// The item in a reply to `LSTAT`, `STAT` or `FSTAT`; nil if nothing is at `path`.
    func item(_ reply: SFTPReply, at path: ProviderPath) throws -> FileObject? {
        switch reply {
        case .attributes(let attributes): return FileObject(attributes, at: path)
        case .status(let status):
            let error = SFTPCondition(status: status, path: path, url: url(of: path)).error
            // Nothing exists below a file; some servers only report "failure" then.
            if (error as? CocoaError)?.code == .fileReadNoSuchFile || error.isNotADirectory { return nil }
            // On Linux, no name is longer (NAME_MAX).
            if path.components.contains(where: { $0.count > 255 }), error is SFTPStatusError || error.isNameTooLong {
                return nil
            }
            throw error
        default: throw unexpected(path)
        }
    }

    /// The error for a reply that does not match the request.
    func unexpected(_ path: ProviderPath) -> any Error {
        FileError.make(
            .cannotParseResponse, url: url(of: path),
            sentence: "The server sent an unexpected answer about “\(path)”.")
    }

    /// Passes on the entries of a folder as they arrive.
    ///
    /// - Throws: At the end, an error that lists the names that were left out.
    func list(_ path: ProviderPath, _ session: SFTPSession, page: ([FileObject]) async throws -> Void) async throws {
        let replies = try await connection.open([.opendir(connection.host.bytes(of: path))], session) { _, status in
            try await mayLackHandles(status, path: path, session: session)
        }
        guard case .handle(let handle) = replies[0] else {
            throw try await refusal(replies[0], ofListing: path, session)
        }
        defer { session.close([handle]) }
        var listing = SFTPListing(session, handle: handle)
        var entries = SFTPEntries(folder: path)
        do {
            while let names = try await listing.next() {
                let items = names.compactMap { entries.object($0) }
                if !items.isEmpty { try await page(items) }
            }
        } catch let refusal as SFTPRefusal {
            // Some servers open a file as a folder, and then refuse to read it.
            throw try await self.refusal(.status(refusal.status), ofListing: path, session)
        } catch is SFTPListing.TooLong {
            let limits = SFTPListing.Limits()
            throw FileError.make(
                .fileReadTooLarge, path: path, url: url(of: path),
                sentence:
                    "“\(path)” has more than \(limits.entries) items, or more than \(limits.names >> 20) MiB of names, which is too much."
            )
        }
        if !entries.unusable.isEmpty { throw FileError.unusableNames(entries.unusable, in: path, url: url(of: path)) }
    }

    /// Some servers report a folder as missing when they have no handle for it.
    private func mayLackHandles(_ status: SFTPStatus, path: ProviderPath, session: SFTPSession) async throws -> Bool {
        if status.mayBeAboutHandles { return true }
        guard status.code == SFTPStatus.Code.noSuchFile, !handles.isEmpty else { return false }
        return try await item(path, session, followsLinks: true)?.isDirectory == true
    }

    private func refusal(_ reply: SFTPReply, ofListing path: ProviderPath, _ session: SFTPSession) async throws
        -> any Error
    {
        guard let status = reply.status else { return unexpected(path) }
        let statusError = SFTPStatusError(status, path: path)
        guard let item = try await item(path, session, followsLinks: true) else {
            return missing(path, underlying: statusError)
        }
        if !item.isDirectory { return FileError.notADirectory(path, url: url(of: path)) }
        return SFTPCondition(status: status, path: path, url: url(of: path)).error
    }
}

extension Error {
    /// Whether part of the path is not a folder.
    var isNotADirectory: Bool {
        guard let error = self as? CocoaError, let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error else {
            return false
        }
        if let status = cause as? SFTPStatusError {
            return status.code.rawValue == 19 || status.serverDescription == "Not a directory"
        }
        return (cause as? POSIXError)?.code == .ENOTDIR
    }
}

extension Error {
    /// Whether the storage rejects the name as too long.
    var isNameTooLong: Bool { ((self as? CocoaError)?.underlying as? POSIXError)?.code == .ENAMETOOLONG }
}

extension FileObject {
    /// - Parameter longname: A line like that of `ls -l`, for servers that report the type nowhere else.
    init(_ attributes: SFTPAttributes, at path: ProviderPath, longname: [UInt8] = []) {
        let type: FileType
        switch (attributes.permissions ?? 0) & 0o170000 {
        case 0o100000: type = .regular
        case 0o040000: type = .directory
        case 0o120000: type = .symbolicLink
        case 0: type = Self.type(ofLine: longname, size: attributes.size)
        default: type = .other
        }
        self.init(path: path, type: type)
        if type != .directory { size = attributes.size.flatMap { Int64(exactly: $0) } }
        modifiedDate = attributes.times.map { Date(timeIntervalSince1970: Double($0.modification)) }
        permissions = attributes.permissions.map { UInt16($0 & 0o7777) }
        if let owner = attributes.owner {
            self[.sftpOwner] = owner.user
            self[.sftpGroup] = owner.group
        }
    }

    private static func type(ofLine line: [UInt8], size: UInt64?) -> FileType {
        switch line.first {
        case UInt8(ascii: "d"): .directory
        case UInt8(ascii: "l"): .symbolicLink
        case UInt8(ascii: "-"): .regular
        default: size == nil ? .other : .regular
        }
    }
}

extension FileObjectKey where Value == UInt32 {
    /// The user number of the owner on the server.
    public static var sftpOwner: Self { Self("sftp.owner") }
    /// The number of the group on the server.
    public static var sftpGroup: Self { Self("sftp.group") }
}
