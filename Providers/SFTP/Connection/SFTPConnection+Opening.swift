import FileProviderCore
import Foundation
import SFTPEngine

/// Opens files and folders on servers that allow few handles.
extension SFTPConnection {
    /// How long a file may be open without being read before its handle is taken for another one; less where nothing
    /// else is open.
    private static let idle = (usual: Duration.milliseconds(250), alone: Duration.milliseconds(20))

    /// The result of openings that were sent together.
    private struct Attempt {
        var replies: [SFTPReply]
        /// Open handles besides a refused opening, without those of this attempt; nil if everything was opened.
        var others: SFTPHandleRoom.Crowd?
        var own: [SFTPHandle]
        /// Whether it was sent without room, because nothing moved any more.
        var wasForced: Bool
    }

    /// How many handles may be open at a try, with those that it asks for.
    private struct Bound: Equatable {
        let maxCount: Int
        /// Whether those of all sessions count.
        let countsAll: Bool
    }

    /// Sends requests of which some open a file or a folder, as soon as the server has room for their handles.
    ///
    /// If an opening is refused while other handles are open, there may be too many. It is retried once when fewer are
    /// open; if the server's message mentions open files, when it is alone.
    ///
    /// - Parameter isDoubtful: Whether the refusal may be about the number of handles.
    /// - Returns: The replies, as of ``send(_:_:)``, to the last try.
    func open(
        _ requests: [SFTPRequest], _ session: SFTPSession,
        isDoubtful: ([SFTPReply], SFTPStatus) async throws -> Bool = { _, status in status.mayBeAboutHandles }
    ) async throws -> [SFTPReply] {
        var attempt = try await attempt(requests, session)
        var tries = 1
        var last: Bound?
        while let others = attempt.others, !attempt.wasForced, let status = attempt.replies.firstRefusal(of: requests) {
            guard try await isDoubtful(attempt.replies, status),
                let next = room(
                    after: status, others, tries, of: requests.count(where: \.opens), own: attempt.own.count),
                next != last
            else {
                host.room.settle(session)
                break
            }
            last = next
            session.close(attempt.own)
            attempt = try await self.attempt(requests, session, maxCount: next.maxCount, countsAll: next.countsAll)
            tries += 1
            if attempt.others == nil, others.host > 0 { host.room.learn(next.maxCount, isShared: next.countsAll) }
        }
        return attempt.replies
    }

    /// As ``open(_:_:isDoubtful:)``, without waiting and without a second try.
    ///
    /// - Returns: Nil where there is no room.
    func openNow(_ requests: [SFTPRequest], session: SFTPSession) async throws -> [SFTPReply]? {
        try await options.requestLimit?.take(requests.count)
        let ticket = host.room.ask(requests.count(where: \.opens), session)
        guard host.room.isAdmitted(ticket) else {
            host.room.withdraw(ticket)
            return nil
        }
        let call = begin(requests, session, ticket: ticket)
        let replies = try await call.value()
        if call.crowd != nil { host.room.settle(session) }
        return replies
    }

    /// - Returns: How many handles may be open at the next try; nil for no other try. Doesn't rely on the limit that
    ///   the server announces, because some servers allow fewer.
    private func room(
        after status: SFTPStatus, _ others: SFTPHandleRoom.Crowd, _ tries: Int, of openings: Int, own: Int
    ) -> Bound? {
        if others.session > 0, tries == 1 || status.isAboutHandles {
            return Bound(maxCount: others.session + own, countsAll: false)
        }
        // The handles of other sessions may have been closed before the refusal was here.
        if status.isAboutHandles { return Bound(maxCount: max(openings, others.host + own), countsAll: true) }
        return nil
    }

    private func attempt(
        _ requests: [SFTPRequest], _ session: SFTPSession, maxCount: Int? = nil, countsAll: Bool = false
    ) async throws -> Attempt {
        try await options.requestLimit?.take(requests.count)
        let ticket = host.room.ask(requests.count(where: \.opens), session, maxCount: maxCount, countsAll: countsAll)
        let wasForced = try await waitForRoom(ticket, session: session)
        defer { host.room.finish(ticket) }
        let call = begin(requests, session, ticket: ticket)
        let replies = try await call.value()
        let own = replies.compactMap { if case .handle(let handle) = $0 { handle } else { nil } }
        return Attempt(replies: replies, others: call.crowd?.leavingOut(own.count), own: own, wasForced: wasForced)
    }

    /// - Returns: Whether the wait was in vain: no handle is given back, perhaps because its owner waits for this
    ///   opening. The server decides then.
    private func waitForRoom(_ ticket: SFTPHandleRoom.Ticket, session: SFTPSession) async throws -> Bool {
        let room = host.room
        let start = ContinuousClock.now
        var pause = Self.idle.alone
        do {
            while !room.isAdmitted(ticket) {
                try await Gate.wait { resume in
                    room.whenAdmitted(ticket, resume)
                    SFTPPace.resume(at: .now + pause, resume)
                }
                room.lookAgain()
                if room.isAdmitted(ticket) { break }
                // Many openings may wait; it is enough if one of them looks.
                pause = min(pause * 2, .seconds(1))
                let isAlone = handles.countIdle(on: session) >= room.used(session)
                await handles.giveBackIdle(on: session, for: isAlone ? Self.idle.alone : Self.idle.usual)
                if min(room.standstill, .now - start) > host.maxStandstill {
                    room.admit(ticket)
                    return true
                }
            }
        } catch {
            room.withdraw(ticket)
            throw error
        }
        return false
    }
}

extension [SFTPReply] {
    /// The status of the first of `requests` that failed to open something.
    fileprivate func firstRefusal(of requests: [SFTPRequest]) -> SFTPStatus? {
        zip(requests, self).lazy.filter(\.0.opens).compactMap(\.1.status).first
    }
}

extension SFTPStatus {
    /// Whether the server's words say that other files are open, or other transfers under way.
    var isAboutHandles: Bool {
        if isOK || code == Code.noSuchFile { return false }
        let text = message.lowercased()
        return ["too many", "in progress", "open files", "open handles", "open file limit"].contains {
            text.contains($0)
        }
    }

    /// Whether a refused opening may be about the number of handles. Most servers use the same message for that as for
    /// other failures.
    var mayBeAboutHandles: Bool { code == Code.failure || code == Code.permissionDenied || isAboutHandles }
}
