import FileProviderCore
import Foundation
import SFTPEngine

/// Opens the file, gives its handle back, and verifies its version.
extension SFTPReader {
    func checked() throws -> State {
        let state = state.value
        if state.isClosed { throw FileError.closed(path) }
        return state
    }

    /// The open file for small reads; opens it if needed.
    func opened() async throws -> OpenFile {
        while true {
            let task = try state.update { state in
                if state.isClosed { throw FileError.closed(path) }
                return state.opening.orStart {
                    let opened = try await self.open(on: self.provider.connection.pool.session())
                    self.state.update { ($0.opened, $0.rested) = (opened, .now) }
                    return opened
                }
            }
            do {
                let opened = try await task.sharedValue()
                if opened.session.ending == nil { return opened }
                forget(task)
            } catch {
                if Task.isCancelled { throw error }
                forget(task)
                throw error is CancellationError ? FileError.closed(path) : error
            }
        }
    }

    private func forget(_ task: Task<OpenFile, any Error>) {
        state.update { if $0.opening == task { ($0.opening, $0.opened) = (nil, nil) } }
    }

    /// Runs `body`, during which the file is not idle.
    func whileReading<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        state.update { $0.readers += 1 }
        defer {
            state.update { state in
                state.readers -= 1
                state.rested = .now
            }
        }
        return try await body()
    }

    // MARK: Giving back

    /// Whether the file is open on `session` and is not being read.
    func isIdle(on session: SFTPSession) -> Bool {
        let state = state.value
        return state.readers == 0 && state.opened?.session === session
    }

    /// Closes the file unless it is being read; the next read opens it again.
    ///
    /// - Parameters:
    ///   - session: The session on which it must be open; nil for any.
    ///   - duration: The time since the last read.
    /// - Returns: The call that closes the file; nil if there is nothing to close.
    func giveBack(on session: SFTPSession? = nil, for duration: Duration = .zero) -> SFTPCall? {
        let idle = state.update { state -> OpenFile? in
            guard state.readers == 0, .now - state.rested >= duration,
                session == nil || state.opened?.session === session,
                let opened = state.opened.take()
            else { return nil }
            state.opening = nil
            return opened
        }
        return idle.map { provider.connection.begin([.close($0.handle)], $0.session) }
    }

    // MARK: Opening

    /// Opens the file on `session` and verifies that it is the version of the first read.
    func open(on session: SFTPSession) async throws -> OpenFile {
        provider.handles.add(self)
        let name = provider.connection.host.bytes(of: path)
        let replies = try await provider.connection.open([.open(name, .read), .stat(name)], session) {
            replies, status in
            // If no handle is left, a server may refuse an existing file, or call it missing.
            guard case .attributes = replies[1] else {
                return status.mayBeAboutHandles && status.code != SFTPStatus.Code.failure
            }
            return status.mayBeAboutHandles || status.code == SFTPStatus.Code.noSuchFile
        }
        return try await settled(replies, session)
    }

    /// Like ``open(on:)``, if the server has a free handle.
    func openNow(on session: SFTPSession) async throws -> OpenFile? {
        let name = provider.connection.host.bytes(of: path)
        guard let replies = try await provider.connection.openNow([.open(name, .read), .stat(name)], session: session)
        else { return nil }
        return try await settled(replies, session)
    }

    /// - Parameter replies: To `OPEN` and `STAT`.
    private func settled(_ replies: [SFTPReply], _ session: SFTPSession) async throws -> OpenFile {
        guard case .handle(let handle) = replies[0] else { throw try refusal(replies) }
        let opened = OpenFile(session: session, handle: handle)
        do {
            if case .attributes(let found) = replies[1], FileObject(found, at: path).isDirectory {
                throw FileError.isADirectory(path, url: url)
            }
            try await settle(replies[1], of: opened)
            return opened
        } catch {
            session.close([handle])
            throw error
        }
    }

    private func refusal(_ replies: [SFTPReply]) throws -> any Error {
        guard let status = replies[0].status else { return provider.unexpected(path) }
        let refusal = SFTPCondition(status: status, path: path, url: url).error
        do {
            guard let item = try provider.item(replies[1], at: path) else { return provider.missing(path) }
            return item.isDirectory ? FileError.isADirectory(path, url: url) : refusal
        } catch {
            // The server doesn't show the item, but it says why it refused to open it.
            return refusal
        }
    }
}
