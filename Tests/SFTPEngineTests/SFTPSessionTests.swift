import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import SFTPEngine

@Suite(.timeLimit(.minutes(1))) struct SFTPSessionTests {
    private func double(_ settings: SFTPDouble.Settings = SFTPDouble.Settings()) -> SFTPDouble {
        SFTPDouble(settings, files: ["/file": Data("0123456789".utf8)])
    }

    private func woken(_ change: (inout SFTPDouble.Settings) -> Void = { _ in }) -> SFTPDouble.Settings {
        var settings = SFTPDouble.Settings()
        settings.asksOnlyWhenWoken = true
        change(&settings)
        return settings
    }

    // MARK: Opening

    @Test func `a session knows the extensions, and soon the limits, without a request`() async throws {
        try await withSession(double(woken())) { session async throws in
            #expect(session.has(.copyData) && session.has(.posixRename))
            #expect(session.extensions.count == 11)
            try await eventually { session.limits == SFTPLimits(read: 261_120, write: 261_120, handles: 1_019) }
            try await eventually { !session.isWaiting }
        }
    }

    @Test func `a server without extensions has the usual limits`() async throws {
        var settings = SFTPDouble.Settings()
        settings.extensions = []
        try await withSession(double(settings)) { session async throws in
            #expect(try await session.size("/file") == 10)
            #expect(session.limits == .usual)
            #expect(session.extensions == [])
        }
    }

    @Test(arguments: [
        (SFTPDouble.Fault.version(2), URLError.Code.unsupportedURL), (.version(6), .unsupportedURL),
        (.type(101), .cannotParseResponse),
        (.length(0), .cannotParseResponse), (.length(.max), .cannotParseResponse),
        (.stringLength(.max), .cannotParseResponse),
        (.before(Data("Welcome to the library!\r\n".utf8)), .cannotParseResponse),
        (.before(Data([0, 0, 0, 1, 9])), .cannotParseResponse),
        (.cut(after: 0), .networkConnectionLost), (.cut(after: 7), .networkConnectionLost),
        (.close, .networkConnectionLost),
    ]) func `a server that begins otherwise is refused`(fault: SFTPDouble.Fault, expected: URLError.Code) async throws {
        let double = double(SFTPDouble.Settings { $0.kind == .initialize ? [fault] : [] })
        let code = await code { _ = try await SFTPSession.open(over: double.channel()) }
        #expect(code == expected)
        #expect(double.violations == [])
    }

    @Test func `what a login script prints is in the message`() async throws {
        let double = double(
            SFTPDouble.Settings {
                $0.kind == .initialize ? [.before(Data("Welcome to\r\nthe \u{1B}[1mlibrary".utf8))] : []
            })
        do {
            _ = try await SFTPSession.open(over: double.channel())
            Issue.record("It is no SFTP.")
        } catch {
            #expect(error.localizedDescription.contains("“Welcome to the [1mlibrary"))
        }
    }

    @Test func `a server that says nothing times out, and can be given up`() async throws {
        var settings = SFTPDouble.Settings { $0.kind == .initialize ? [.silence] : [] }
        settings.timeout = 0.1
        let quiet = double(settings)
        let code = await code { _ = try await SFTPSession.open(over: quiet.channel()) }
        #expect(code == .timedOut)
        settings.timeout = nil
        let quieter = double(settings)
        let opening = Task { try await SFTPSession.open(over: quieter.channel()) }
        try await eventually { quieter.counts.requests[.initialize] == 1 }
        opening.cancel()
        await #expect(throws: CancellationError.self) { _ = try await opening.value }
        #expect(quiet.violations + quieter.violations == [])
    }

    // MARK: Faults

    @Test(arguments: [
        (SFTPDouble.Fault.id(99_999), URLError.Code.cannotParseResponse), (.type(77), .cannotParseResponse),
        (.type(3), .cannotParseResponse),
        (.length(0), .cannotParseResponse), (.length(.max), .cannotParseResponse),
        (.length(524_285), .cannotParseResponse),
        (.length(4), .cannotParseResponse), (.missingAttributes, .cannotParseResponse),
        (.before(SFTPDouble.stray(7_777)), .cannotParseResponse),
        (.packet(type: 104, Data([0xFF, 0xFF, 0xFF, 0xFF])), .cannotParseResponse),
        (.packet(type: 101, Data([0])), .cannotParseResponse),
        (.packet(type: 102, Data([0, 0, 1, 1] + [UInt8](repeating: 1, count: 257))), .cannotParseResponse),
        (.attributes(Data([0x80, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF])), .cannotParseResponse),
        (.raw(Data([0, 0, 0, 0])), .cannotParseResponse),
        (.cut(after: 3), .networkConnectionLost), (.cut(after: 20), .networkConnectionLost),
        (.close, .networkConnectionLost),
        (.closeAfterDoing, .networkConnectionLost),
    ]) func `a wrong reply ends the session, for the one who waits for it and for the others`(
        fault: SFTPDouble.Fault, expected: URLError.Code
    ) async throws {
        let double = double(SFTPDouble.Settings { $0.kind == .lstat ? [fault] : $0.kind == .stat ? [.silence] : [] })
        try await withSession(double) { session async throws in
            let others = (0..<3).map { _ in session.begin([.stat(Array("/".utf8))]) }
            #expect(await code { _ = try await session.size("/file") } == expected)
            for other in others { #expect(await code { _ = try await other.value() } == expected) }
            #expect(await code { _ = try await session.size("/file") } == expected)
            #expect((session.ending as? URLError)?.code == expected)
            #expect(!session.isWaiting)
        }
    }

    @Test func `a second reply to one request ends the session`() async throws {
        let double = double(SFTPDouble.Settings { $0.kind == .lstat ? [.duplicate] : [] })
        try await withSession(double) { session async throws in
            #expect(try await session.size("/file") == 10)
            try await eventually { (session.ending as? URLError)?.code == .cannotParseResponse }
        }
    }

    @Test func `a status without words, and one with another code, are answers`() async throws {
        let double = double(
            SFTPDouble.Settings {
                [.lstat: [.status(.failure, nil)], .stat: [.packet(type: 101, Data([0, 0, 0, 77]))]][$0.kind] ?? []
            })
        try await withSession(double) { session async throws in
            #expect(try await session.send(.lstat([47])).status == SFTPStatus(code: 4))
            #expect(try await session.send(.stat([47])).status == SFTPStatus(code: 77))
        }
    }

    @Test(arguments: [SFTPDouble.Cut.received(40), .received(5), .sent(30), .sent(1), .requests(2)])
    func `a channel that ends at any point fails what is not answered`(cut: SFTPDouble.Cut) async throws {
        let double = double()
        try await withSession(double) { session async throws in
            try await eventually { !session.isWaiting }
            double.cut(cut)
            #expect(await code { while true { _ = try await session.size("/file") } } == .networkConnectionLost)
        }
    }

    @Test func `a request that hangs while others go on ends the session`() async throws {
        let double = double(SFTPDouble.Settings { $0.kind == .stat ? [.silence] : [] })
        try await withSession(double, patience: .milliseconds(100)) { session async throws in
            let hanging = session.begin([.stat([47])])
            #expect(await code { while true { _ = try await session.size("/file") } } == .timedOut)
            #expect(await code { _ = try await hanging.value() } == .timedOut)
        }
    }

    @Test func `a window that never opens times out`() async throws {
        let double = double(woken { $0.timeout = 0.2 })
        try await withSession(double) { session async throws in
            try await eventually { !session.isWaiting }
            double.setWindow(0)
            #expect(await code { _ = try await session.size("/file") } == .timedOut)
        }
    }

    @Test func `a session at rest does not time out`() async throws {
        let double = double(woken { $0.timeout = 0.05 })
        try await withSession(double) { session async throws in
            try await Task.sleep(for: .milliseconds(200))
            #expect(try await session.size("/file") == 10)
        }
    }

    // MARK: Many at once

    @Test(arguments: [false, true])
    func `five thousand requests at once have their own answers, in whatever order they come`(
        isWoken: Bool
    ) async throws {
        var settings = SFTPDouble.Settings { request in
            guard request.kind == .lstat else { return [] }
            // The last of each half would wait for others in vain.
            return request.occurrence % 3 == 0 && request.occurrence % 2_500 < 2_300
                ? [.late(after: 40)] : [.shuffled(of: 30)]
        }
        settings.asksOnlyWhenWoken = isWoken
        let double = double(settings)
        double.putEntries(5_000, in: "/many")
        let paths = (0..<5_000).map { "/many/entry-" + String("0000\($0)".suffix(5)) }
        try await withSession(double) { session async throws in
            let together = try await session.sendTogether(paths.prefix(2_500).map { .lstat(Array($0.utf8)) })
            for (index, reply) in together.enumerated() {
                guard case .attributes(let attributes) = reply else { throw CancellationError() }
                #expect(attributes.size == UInt64(index))
            }
            try await withThrowingTaskGroup { group in
                for index in 2_500..<5_000 { group.addTask { (index, try await session.size(paths[index])) } }
                for try await (index, size) in group { #expect(size == UInt64(index)) }
            }
        }
    }

    @Test func `a byte at a time is enough`() async throws {
        let double = double(
            woken {
                $0.maximumTake = 1
                $0.maximumGive = 1
            })
        try await withSession(double) { session async throws in
            let replies = try await session.sendTogether(
                (0..<20).map { _ in .lstat(Array("/file".utf8)) } + [.lstat(Array("/none".utf8))])
            #expect(replies.count == 21)
            #expect(replies[20].status?.code == SFTPStatus.Code.noSuchFile)
        }
    }

    @Test func `no requests have no replies, and a name that no packet holds is refused`() async throws {
        try await withSession(double()) { session async throws in
            #expect(try await session.sendTogether([]).isEmpty)
            await #expect(throws: CocoaError.self) {
                _ = try await session.send(.lstat([UInt8](repeating: 65, count: 262_128)))
            }
            let longest = [UInt8](repeating: 65, count: 262_128 - 5)
            #expect(try await session.send(.lstat(longest)).status != nil)
        }
    }

    // MARK: Cancelling

    @Test func `the handle of an OPEN that nobody waits for is closed, and the others go on`() async throws {
        let double = double(woken { $0.answer = { $0.kind == .open ? [.late(after: 2)] : [] } })
        try await withSession(double) { session async throws in
            let opening = Task { try await session.handle("/file") }
            try await eventually { double.counts.requests[.open] == 1 }
            opening.cancel()
            await #expect(throws: CancellationError.self) { _ = try await opening.value }
            for _ in 0..<3 { #expect(try await session.size("/file") == 10) }
            try await eventually { double.counts.requests[.close] == 1 && double.counts.openHandles == 0 }
        }
    }

    @Test func `a handle that came before its call was given up is closed`() async throws {
        let double = double(SFTPDouble.Settings { $0.kind == .stat ? [.silence] : [] })
        try await withSession(double) { session async throws in
            let both = Task { try await session.sendTogether([.open(Array("/file".utf8), .read), .stat([47])]) }
            try await eventually { double.counts.openHandles == 1 && session.unanswered == 1 }
            both.cancel()
            await #expect(throws: CancellationError.self) { _ = try await both.value }
            try await eventually { double.counts.openHandles == 0 }
            session.end()
        }
    }

    @Test func `calls that begin while the session ends fail, each once`() async throws {
        let double = double()
        try await withSession(double) { session async throws in
            try await withThrowingTaskGroup { group in
                for index in 0..<500 {
                    group.addTask {
                        if index == 250 { session.end(with: URLError(.userCancelledAuthentication)) }
                        do { _ = try await session.size("/file") } catch {
                            #expect((error as? URLError)?.code == .userCancelledAuthentication)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(session.unanswered == 0)
        }
    }
}
