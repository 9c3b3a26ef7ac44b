import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import SFTPEngine

/// Counting handles, and admitting as many openings as there is room for.
@Suite(.timeLimit(.minutes(1))) struct SFTPHandleRoomTests {
    private let book = Array("/book".utf8)
    private let double = SFTPDouble(files: ["/book": Data("book".utf8)])

    /// Without `limits@openssh.com`.
    private var silent: SFTPDouble {
        var settings = SFTPDouble.Settings()
        settings.extensions = []
        return SFTPDouble(settings, files: ["/book": Data("book".utf8)])
    }

    @Test func `handles are counted from the opening to the answer of the closing`() async throws {
        try await withSession(double) { session async throws in
            let room = session.room
            let opened = try await session.sendTogether([
                .open(book, .read), .opendir([47]), .open(Array("/no".utf8), .read),
            ])
            #expect(room.used(session) == 2)
            for case .handle(let handle) in opened { _ = try await session.send(.close(handle)) }
            #expect(room.used(session) == 0)
        }
    }

    @Test func `a refused opening tells how many were open beside it`() async throws {
        try await withSession(double) { session async throws in
            let handle = try await session.handle("/book")
            let call = session.begin([.open(Array("/no".utf8), .read), .open(book, .read)])
            guard case .handle(let other) = try await call.value()[1] else { throw CancellationError() }
            #expect(call.crowd == SFTPHandleRoom.Crowd(session: 1, host: 1))
            session.close([handle, other])
        }
    }

    @Test func `while it is not known why an opening was refused, no more are opened than beside it`() async throws {
        try await withSession(double) { session async throws in
            let handles = [try await session.handle("/book"), try await session.handle("/book")]
            let call = session.begin([.open(Array("/no".utf8), .read)])
            _ = try await call.value()
            let room = session.room
            let next = room.ask(1, session)
            #expect(!room.isAdmitted(next))
            room.settle(session)
            #expect(room.isAdmitted(next))
            room.withdraw(next)
            session.close(handles)
        }
    }

    @Test func `what a server announces holds, and the first who waits is the first who is let in`() async throws {
        var settings = SFTPDouble.Settings()
        settings.maximumHandles = 1
        try await withSession(SFTPDouble(settings, files: ["/book": Data("book".utf8)])) { session async throws in
            // The answer to the first request comes behind the limits.
            _ = try await session.size("/book")
            let room = session.room
            let tickets = (0..<3).map { _ in room.ask(1, session) }
            #expect(tickets.map(room.isAdmitted) == [true, false, false])
            let call = session.begin([.open(book, .read)], ticket: tickets[0])
            guard case .handle(let handle) = try await call.value()[0] else { throw CancellationError() }
            #expect(tickets[1...].map(room.isAdmitted) == [false, false])
            _ = try await session.send(.close(handle))
            #expect(tickets[1...].map(room.isAdmitted) == [true, false])
            room.withdraw(tickets[1])
            #expect(room.isAdmitted(tickets[2]))
            room.withdraw(tickets[2])
            #expect(room.used(session) == 0)
        }
    }

    @Test func `what was learned holds for each session, or for all together, and grows with time`() async throws {
        for isShared in [false, true] {
            let room = SFTPHandleRoom(growth: .seconds(1_000))
            let sessions = [
                try await SFTPSession.open(over: silent.channel(), room: room),
                try await SFTPSession.open(over: silent.channel(), room: room),
            ]
            room.learn(2, isShared: isShared)
            let tickets = sessions.flatMap { session in (0..<3).map { _ in room.ask(1, session) } }
            #expect(tickets.count(where: room.isAdmitted) == (isShared ? 2 : 4))
            room.learn(1, isShared: false)
            room.learn(7, isShared: isShared)
            #expect(room.learned == 1)
            // Who waits on a session that has ended finds that out by using it.
            for session in sessions { session.end() }
            try await eventually { tickets.allSatisfy(room.isAdmitted) }
        }
        let room = SFTPHandleRoom(growth: .zero)
        room.learn(4, isShared: false)
        #expect(try #require(room.learned) > 4)
    }

    @Test func `openings at most double what was seen to work`() async throws {
        try await withSession(silent) { session async throws in
            let room = session.room
            let tickets = (0..<40).map { _ in room.ask(1, session) }
            var handles: [SFTPHandle] = []
            for admitted in [16, 32] {
                #expect(tickets.count(where: room.isAdmitted) == admitted)
                for ticket in tickets[handles.count..<min(admitted, 16)] {
                    let opened = try await session.begin([.open(book, .read)], ticket: ticket).value()
                    guard case .handle(let handle) = opened[0] else { throw CancellationError() }
                    handles.append(handle)
                }
            }
            for ticket in tickets[16...] { room.withdraw(ticket) }
            session.close(handles)
        }
    }

    @Test func `nobody takes the room of one who tries again, before that is answered`() async throws {
        let room = SFTPHandleRoom()
        let session = try await SFTPSession.open(over: silent.channel(), room: room)
        let again = room.ask(1, session, maxCount: 1)
        let other = room.ask(1, session)
        #expect(room.isAdmitted(again) && !room.isAdmitted(other))
        room.finish(again)
        #expect(room.isAdmitted(other))
        session.end()
    }

    @Test(arguments: [true, false])
    func `others wait for one that waits to be tried again, but not for ever`(_ isPatient: Bool) async throws {
        let room = SFTPHandleRoom(patience: isPatient ? .seconds(1_000) : .zero)
        let session = try await SFTPSession.open(over: silent.channel(), room: room)
        let open = [room.ask(1, session), room.ask(1, session)]
        let again = room.ask(1, session, maxCount: 2)
        let other = room.ask(1, session)
        #expect(!room.isAdmitted(again) && room.isAdmitted(other) == !isPatient)
        if !isPatient { room.withdraw(other) }
        room.withdraw(open[0])
        #expect(room.isAdmitted(again) && !(isPatient && room.isAdmitted(other)))
        room.finish(again)
        room.withdraw(again)
        #expect(room.isAdmitted(other))
        session.end()
    }

    @Test func `with nothing open there is room for any number`() async throws {
        let room = SFTPHandleRoom()
        let session = try await SFTPSession.open(over: silent.channel(), room: room)
        room.learn(1, isShared: false)
        let tickets = [room.ask(2, session), room.ask(1, session)]
        #expect(tickets.map(room.isAdmitted) == [true, false])
        session.end()
    }
}
