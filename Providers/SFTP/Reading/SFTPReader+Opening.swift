import FileProviderCore
import Foundation
import SFTPEngine

/// Opening a file to read it, giving its handle back, and seeing that it stays the same version.
extension SFTPReader {
    func checked() throws -> State {
        let state = state.value
        if state.isClosed { throw FileError.closed(path) }
        return state
    }

    /// The file as it is open for small reads; opens it if it is not.
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

    /// Whether the file is open on `session` and nobody reads from it right now.
    func isIdle(on session: SFTPSession) -> Bool {
        let state = state.value
        return state.readers == 0 && state.opened?.session === session
    }

    /// Closes the file unless it is being read; the next read opens it again.
    ///
    /// - Parameters:
    ///   - session: The one that it has to be open on; nil for any.
    ///   - duration: How long nobody has read from it.
    /// - Returns: The closing, which is on its way; nil where there is nothing to close.
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

    /// Opens the file on `session` and sees that it is the version that is being read.
    func open(on session: SFTPSession) async throws -> OpenFile {
        provider.handles.add(self)
        let name = provider.connection.host.bytes(of: path)
        let replies = try await provider.connection.open([.open(name, .read), .stat(name)], session) {
            replies, status in
            // A file that is there may be refused, or called missing, where no handle is left.
            guard case .attributes = replies[1] else {
                return status.mayBeAboutHandles && status.code != SFTPStatus.Code.failure
            }
            return status.mayBeAboutHandles || status.code == SFTPStatus.Code.noSuchFile
        }
        return try await settled(replies, session)
    }

    /// As ``open(on:)``, where the server has a handle to give at once.
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
            // It does not tell what is there, but why it does not open it.
            return refusal
        }
    }
}
