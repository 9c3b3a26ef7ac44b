import FileProviderCore
import Foundation
import SFTPEngine

/// Keeps the sessions: one for requests and small files, and lanes for large files, so that requests need not wait
/// behind these.
final class SFTPPool: Sendable {
    private struct State {
        var links: [Int: Task<any SFTPLink, any Error>] = [:]
        var sessions: [Int: Task<SFTPSession, any Error>] = [:]
        /// Lanes that the server refused, because it allows no more channels or logins.
        var refused: Set<Int> = []
    }

    /// The session of requests; lanes are 1 and more.
    static let requests = 0

    private let state = LockedValue(State())
    let connections: Int
    private let patience: Duration
    private let room: SFTPHandleRoom
    private let connect: @Sendable () async throws -> any SFTPLink
    let lanes: Int

    /// - Parameters:
    ///   - connections: The maximum number of connections. Lanes use them in turn.
    ///   - channels: The number of lanes on each connection.
    ///   - room: Counts the handles of all sessions.
    init(
        connections: Int, channels: Int, patience: Duration, room: SFTPHandleRoom = SFTPHandleRoom(),
        connect: @escaping @Sendable () async throws -> any SFTPLink
    ) {
        self.connections = max(1, connections)
        self.patience = patience
        self.room = room
        self.connect = connect
        lanes = max(1, self.connections * channels)
    }

    deinit {
        closeAll()
    }

    /// The session for requests.
    func session() async throws -> SFTPSession { try await session(Self.requests) }

    /// The lane for long transfers; the session for requests if the server allows no other.
    func firstLane() async throws -> SFTPSession {
        // First, because the server may give one channel only.
        let requests = try await session()
        return await lane(1) ?? requests
    }

    /// Begins to open a lane that will be needed.
    func prepare(_ number: Int) {
        if state.value.refused.contains(number) { return }
        let task = opening(number)
        // A later caller must not get this failure.
        Task { do { _ = try await task.value } catch { forgetSession(number, task) } }
    }

    /// Another lane; nil if the server allows no more.
    func lane(_ number: Int) async -> SFTPSession? {
        if state.value.refused.contains(number) { return nil }
        do { return try await session(number) } catch {
            note(error, of: number)
            return nil
        }
    }

    /// Notes a lane that the server has refused, so that it is not asked for again.
    private func note(_ error: any Error, of number: Int) {
        guard let code = (error as? URLError)?.code, [.resourceUnavailable, .userAuthenticationRequired].contains(code)
        else { return }
        state.update { _ = $0.refused.insert(number) }
    }

    /// An open link, or a new one.
    func link() async throws -> any SFTPLink { try await link(0) }

    /// Closes everything. Later calls open new connections.
    func closeAll() {
        let all = state.update { state in
            defer { state = State() }
            return state
        }
        for task in all.sessions.values {
            task.cancel()
            Task { try? await task.value.end() }
        }
        for task in all.links.values {
            task.cancel()
            Task { try? await task.value.close() }
        }
    }

    // MARK: Made once, waited for by all

    private func opening(_ number: Int) -> Task<SFTPSession, any Error> {
        state.update { $0.sessions[number].orStart { try await self.open(number) } }
    }

    private func session(_ number: Int) async throws -> SFTPSession {
        while true {
            let task = opening(number)
            do {
                let session = try await task.sharedValue()
                if session.ending == nil { return session }
                forgetSession(number, task)
            } catch {
                if Task.isCancelled { throw error }
                forgetSession(number, task)
                // ``closeAll()`` ended it, not the cancellation of this caller.
                throw error is CancellationError ? URLError(.cancelled) : error
            }
        }
    }

    private func open(_ number: Int) async throws -> SFTPSession {
        try Task.checkCancellation()
        // The first lane shares the connection of the requests: another connection takes a login.
        let index = number == Self.requests ? 0 : (number - 1) % connections
        let isAlone = number == Self.requests || index > 0 && number <= connections
        // Checked before the link of this lane is used, which would open the connection.
        if index > 0, try await !link(0).takesLogins {
            throw FileError.make(.resourceUnavailable, url: nil, sentence: "This server asks the user at each login.")
        }
        if !isAlone, try await !link(index).takesChannels {
            throw FileError.make(
                .resourceUnavailable, url: nil, sentence: "This server supports only one channel on each connection.")
        }
        return try await SFTPSession.open(over: try await channel(on: index), patience: patience, room: room)
    }

    private func channel(on index: Int) async throws -> any ByteChannel {
        let (link, task) = try await linkAndTask(index)
        do { return try await link.channel() } catch let error as URLError
            where error.code == .networkConnectionLost && !Task.isCancelled
        {
            // The connection was lost while it was unused, and not closed by ``closeAll()``. Another caller may have
            // noticed before.
            forgetLink(index, task)
            link.close()
            return try await self.link(index).channel()
        }
    }

    private func link(_ index: Int) async throws -> any SFTPLink { try await linkAndTask(index).link }

    private func linkAndTask(_ index: Int) async throws -> (link: any SFTPLink, task: Task<any SFTPLink, any Error>) {
        let known = try await anyLink(index)
        guard known.link.isOver else { return known }
        // It ended by a time-out, or by what the server sent.
        try Task.checkCancellation()
        forgetLink(index, known.task)
        return try await anyLink(index)
    }

    private func anyLink(_ index: Int) async throws -> (link: any SFTPLink, task: Task<any SFTPLink, any Error>) {
        let task = state.update { [connect] in $0.links[index].orStart(connect) }
        do { return (try await task.sharedValue(), task) } catch {
            // A cancelled caller does not know the result; the next caller checks it.
            if !Task.isCancelled { forgetLink(index, task) }
            throw error
        }
    }

    private func forgetLink(_ index: Int, _ task: Task<any SFTPLink, any Error>) {
        state.update { if $0.links[index] == task { $0.links[index] = nil } }
    }

    private func forgetSession(_ number: Int, _ task: Task<SFTPSession, any Error>) {
        state.update { if $0.sessions[number] == task { $0.sessions[number] = nil } }
    }
}
