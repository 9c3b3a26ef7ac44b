import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider {
    /// Returns an item's attributes with `MLST`. If the server does not know it, uses `SIZE`, `MDTM` and `CWD`, which
    /// follow symbolic links: a link to a missing item is then missing too, although listings show it.
    ///
    /// - Complexity: One round trip with `MLST`, else two for a file and three for a folder.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        if let item = cache.item(at: path) { return item }
        return try await connection.run(path) { session in
            guard let item = try await self.item(path, session) else { throw self.missing(path) }
            return item
        }
    }

    /// Lists a folder with `MLSD`, else with `CWD` and `LIST`. The listing is parsed as it arrives and held until it is
    /// complete, at most 256 MiB: the receiver of the pages may need the connection, and a listing that breaks off is
    /// requested again.
    ///
    /// - Throws: Also `URLError(.cannotParseResponse)`, behind all pages, when lines of the listing cannot be read;
    ///   also behind them ``/FileProviderCore/FileError/unusableNames(_:in:url:)`` for names that no path can hold, or
    ///   that are listed twice; `CocoaError(.fileReadTooLarge)`.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        if let known = cache.contents(of: path) { return try await page(known) }
        let record = cache.record(of: path)
        var pages = try await connection.run(path) { session in try await self.listing(path, session) }
        while let items = try pages.next() {
            record.add(items)
            try await page(items)
        }
        if let error = pages.unreadable.error(url: url(of: path)) { throw error }
        if !pages.unusable.isEmpty { throw FileError.unusableNames(pages.unusable, in: path, url: url(of: path)) }
        record.keep()
    }

    func missing(_ path: ProviderPath, isWriting: Bool = false, underlying: (any Error)? = nil) -> CocoaError {
        FileError.make(
            isWriting ? .fileNoSuchFile : .fileReadNoSuchFile, path: path, url: url(of: path), underlying: underlying)
    }

    // MARK: One item

    /// The item at `path`; nil if there is none.
    func item(_ path: ProviderPath, _ session: FTPSession) async throws -> FileObject? {
        if path.isRoot { return FileObject(path: path, type: .directory) }
        let name = try session.host.bytes(of: path)
        guard session.host.hasMachineListings else { return try await itemBySize(path, name: name, session: session) }
        let outcome = try await session.send([FTPCommand("MLST", argument: name)])
        guard let reply = outcome["MLST"] else { return try await itemBySize(path, name: name, session: session) }
        if reply.code == 250, reply.lines.count > 1 {
            let entry = try FTPMachineListing.entry(inAnswer: reply.lines[1], name: name)
            return FTPPages.object(entry, at: path, session.host.charset)
        }
        let code = FileProviderFTPErrorCode(rawValue: reply.code)
        if code.isUnknownCommand, reply.code != 501 {
            if name.count <= FTPHost.maxLength { session.host.lacks("MLST") }
            return try await itemBySize(path, name: name, session: session)
        }
        return try nothing(reply, path)
    }

    private func itemBySize(_ path: ProviderPath, name: [UInt8], session: FTPSession) async throws -> FileObject? {
        let outcome = try await session.sendTogether(
            session.binary + [FTPCommand("SIZE", argument: name), FTPCommand("MDTM", argument: name)])
        if let size = outcome.size {
            return FileObject(path: path, type: .regular, size: size, modifiedDate: outcome.modificationDate)
        }
        guard let refusal = try await session.enter(name) else { return FileObject(path: path, type: .directory) }
        let size = outcome["SIZE"]
        let isHidden = size.map { isForbidden($0, path) } ?? false
        let knowsSizes =
            size.map { !$0.isPositive && !FileProviderFTPErrorCode(rawValue: $0.code).isUnknownCommand } ?? false
        if knowsSizes, !isHidden { return try nothing(refusal, path) }
        // If the server reports no sizes, looks for the file in the listing of its folder.
        guard let parent = path.parent, var pages = try await folder(parent, session) else {
            if let size, isHidden { return try nothing(size, path) }
            return try nothing(refusal, path)
        }
        while let items = try pages.next() {
            if let item = items.first(where: { $0.path == path }) { return item }
        }
        return nil
    }

    /// Interprets a refused lookup: nil if nothing is at `path`. Throws if the server forbids the lookup or the failure
    /// is another.
    private func nothing(_ reply: FTPReply, _ path: ProviderPath) throws -> FileObject? {
        let error = FTPCondition(reply: reply, path: path, url: url(of: path)).error
        if let error = error as? CocoaError, error.code == .fileReadNoPermission { throw error }
        guard (500..<600).contains(reply.code) || reply.code == 450, reply.code != 530 else { throw error }
        return nil
    }

    /// Whether a refusal says that this user has no permission to look.
    func isForbidden(_ reply: FTPReply, _ path: ProviderPath) -> Bool {
        (FTPCondition(reply: reply, path: path, url: url(of: path)).error as? CocoaError)?.code == .fileReadNoPermission
    }

    /// Like ``item(_:_:)``, but returns `hidden` if the server refuses to show anything. Drop boxes accept files
    /// without showing them.
    func sight(_ path: ProviderPath, _ session: FTPSession) async throws -> FTPSight {
        do { return try await item(path, session).map { .item($0) } ?? .nothing } catch let error as CocoaError
            where error.code == .fileReadNoPermission
        {
            return .hidden
        } catch let error as FTPReplyError
            where !error.code.isTransient && [500, 502, 504, 550, 553].contains(error.code.rawValue)
        {
            return .hidden
        }
    }

    /// Whether a refused lookup means that nothing is at `path`.
    func isNothing(_ reply: FTPReply, path: ProviderPath) -> Bool {
        do {
            _ = try nothing(reply, path)
            return true
        } catch { return false }
    }

    // MARK: A folder

    func listing(_ path: ProviderPath, _ session: FTPSession) async throws -> FTPPages {
        do { return try await firstListing(path, session) } catch let error as CocoaError
            where error.code == .fileReadNoPermission
        {
            // Lists the folder again: it may have been created after the refusal. If it may not be read, the server
            // refuses again.
            return try await firstListing(path, session)
        }
    }

    private func firstListing(_ path: ProviderPath, _ session: FTPSession) async throws -> FTPPages {
        if let listing = try await machineListing(path, session: session) { return listing }
        if let listing = try await folder(path, session) { return listing }
        throw try await refusalOfListing(path, session: session)
    }

    private func machineListing(_ path: ProviderPath, session: FTPSession) async throws -> FTPPages? {
        guard session.host.hasMachineListings, session.host.mayKnow("MLSD") else { return nil }
        let sink = FTPListingSink(FTPPages(FTPMachineListing(), path: path, charset: session.host.charset))
        let command = try FTPCommand("MLSD", argument: session.host.bytes(of: path))
        let outcome = try await session.send(FTPExchange(transfer: .list(command)) { sink })
        guard let reply = outcome.last else { return nil }
        if reply.isPositive { return sink.pages }
        let code = FileProviderFTPErrorCode(rawValue: reply.code)
        if code.isTransient { throw FTPReplyError(reply, path: path) }
        if code.isUnknownCommand, reply.code != 501 {
            if command.argument.count <= FTPHost.maxLength { session.host.lacks("MLSD") }
        } else if reply.verb == "MLSD" {
            guard try await item(path, session)?.isDirectory == true else {
                throw try await refusalOfListing(path, session: session)
            }
        }
        return nil
    }

    /// Lists the folder with `LIST` after changing into it. Many servers would read a path after `LIST` as options and
    /// patterns.
    ///
    /// - Returns: Nil if the server does not enter the folder.
    func folder(_ path: ProviderPath, _ session: FTPSession) async throws -> FTPPages? {
        guard try await session.enter(session.host.bytes(of: path)) == nil else { return nil }
        let hidden = session.host.listsHidden
        if hidden != false {
            let pages = try await list(FTPCommand("LIST", text: "-a"), path, session)
            // A server that reads the option as a name does not even show `.` and `..`, which every folder has.
            if let pages, hidden == true || !pages.isEmpty {
                session.host.listsHidden = true
                return pages
            }
            // The server showed hidden names before, so a listing without them would look as if items had been removed.
            if hidden == true { throw FTPReplyError(FTPReply(verb: "LIST", code: 550, lines: []), path: path) }
        }
        guard let pages = try await list(FTPCommand("LIST"), path, session) else {
            throw FTPReplyError(FTPReply(verb: "LIST", code: 550, lines: []), path: path)
        }
        if !pages.isEmpty { session.host.listsHidden = false }
        return pages
    }

    /// Returns nil if the server refuses.
    private func list(_ command: FTPCommand, _ path: ProviderPath, _ session: FTPSession) async throws -> FTPPages? {
        let zone = configuration.timeZone.flatMap { TimeZone(identifier: $0) }
        let parser = zone.map { FTPListParser(now: Date(), zone: $0) } ?? FTPListParser(now: Date())
        let sink = FTPListingSink(FTPPages(parser, path: path, charset: session.host.charset))
        let outcome = try await session.send(FTPExchange(transfer: .list(command)) { sink })
        guard let reply = outcome.last else { return nil }
        // Some servers reply 450 for an empty folder, others for a pattern without matches.
        if reply.isPositive || reply.code == 450 { return sink.pages }
        if FileProviderFTPErrorCode(rawValue: reply.code).isTransient { throw FTPReplyError(reply, path: path) }
        return nil
    }

    private func refusalOfListing(_ path: ProviderPath, session: FTPSession) async throws -> any Error {
        guard let item = try await item(path, session) else { return missing(path) }
        if item.isDirectory { return FileError.make(.fileReadNoPermission, path: path, url: url(of: path)) }
        return FileError.notADirectory(path, url: url(of: path))
    }
}

extension FTPOutcome {
    /// The size in the reply to `SIZE` (RFC 3659, section 4).
    var size: Int64? {
        guard let reply = self["SIZE"], reply.code == 213 else { return nil }
        // Some servers put words before the number.
        return reply.text.split(separator: " ").last.flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }

    /// The time in the reply to `MDTM` (RFC 3659, section 3).
    var modificationDate: Date? {
        guard let reply = self["MDTM"], reply.code == 213 else { return nil }
        return reply.text.split(separator: " ").last.flatMap { FTPDate.parse(String($0)) }
    }
}

/// The result of looking for a name.
enum FTPSight {
    case item(FileObject)
    case nothing
    /// The server shows nothing here, neither the item itself nor in a listing.
    case hidden

    /// The item, if one was found.
    var item: FileObject? { if case .item(let item) = self { item } else { nil } }
}
