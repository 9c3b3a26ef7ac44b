import FileProviderCore
import Foundation
import Synchronization
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

@Suite(.timeLimit(.minutes(2)))
struct DriverExchangeTests {
    @Test func `a command goes out, is followed, and leaves nothing behind`() async throws {
        let bed = try DriverBed()
        let seen = CollectedValues<Double>()
        try await bed.begin { bed, look in
            switch look {
            case 2: try await bed.report(.inProgress, 0)
            case 4: try await bed.report(.inProgress, 0.5)
            case 6: try await bed.finish(.deleteBooks)
            default: break
            }
        }
        let report = try await bed.session.delete([BookReference(filename: "a.epub", title: "A")]) { seen.append($0) }
        try bed.check()
        #expect(report == CommandReport(count: 1))
        #expect(seen.values == [0, 0.5, 1])
        #expect(try await bed.names() == [])
    }

    @Test func `without an application nothing is sent`() async throws {
        let bed = try DriverBed()
        #expect(try await bed.kind { try await bed.delete() } == .notConnected)
        try await bed.begin()
        try await bed.say(ConnectedMessage(state: .offline))
        #expect(try await bed.kind { try await bed.delete() } == .offline)
        #expect(try await bed.names() == [])
    }

    @Test func `an application that takes no notice ends the wait, and the command is taken back`() async throws {
        let bed = try DriverBed()
        try await bed.begin()
        #expect(try await bed.kind { try await bed.delete() } == .notAcknowledged)
        #expect(try await bed.names() == [])
        #expect(bed.time.elapsed < 20)
    }

    @Test func `an application that took the command away gets the time once more`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in if look == 2 { try await bed.folder.remove("delete_books.xml") } }
        #expect(try await bed.kind { try await bed.delete() } == .notAcknowledged)
        #expect((29...40).contains(bed.time.elapsed))
        #expect(try await bed.names() == [])
    }

    @Test func `an application that stops answers ends the wait, with how far it was`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in if look == 2 { try await bed.report(.inProgress, 0.25) } }
        #expect(try await bed.kind { try await bed.delete() } == .stalled(lastProgress: 0.25))
        #expect(try await bed.names() == [])
    }

    @Test func `an application whose clock stands still or goes back does not stall`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            if look % 40 == 1, look < 400 {
                try await bed.report(.inProgress, Double(look) / 1000, at: Double(1000 - look / 80))
            }
            if look == 400 { try await bed.finish(.deleteBooks) }
        }
        _ = try await bed.delete()
        try bed.check()
        #expect(bed.time.elapsed > 90)
    }

    @Test func `a report that is half written or missing for a moment is looked at again`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            let whole = bed.coding.data(for: CommandStatus(timestamp: 1, code: .inProgress, progress: 0.5))
            switch look {
            case 1: try await bed.put(whole.prefix(40), CommandStatus.fileName)
            case 3: try await bed.put(whole, CommandStatus.fileName)
            case 5: try await bed.folder.remove(CommandStatus.fileName)
            case 9: try await bed.finish(.deleteBooks)
            default: break
            }
        }
        _ = try await bed.delete()
        try bed.check()
        #expect(try await bed.names() == [])
    }

    @Test func `a report that never becomes readable ends the wait`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            try await bed.put(Data("<status code='7' \(look)".utf8), CommandStatus.fileName)
        }
        #expect(try await bed.kind { try await bed.delete() } == .unreadableStatus)
        #expect(try await bed.names().isSubset(of: [CommandStatus.fileName]))
    }

    @Test func `the time that the application is offline in mid-command does not count`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            switch look {
            case 1: try await bed.report(.inProgress, 0.5)
            case 4: try await bed.say(ConnectedMessage(state: .offline))
            case 180: try await bed.say(ConnectedMessage(state: .online))
            case 200: try await bed.finish(.deleteBooks)
            default: break
            }
        }
        _ = try await bed.delete()
        try bed.check()
        #expect(bed.time.elapsed > 40)
    }

    @Test func `an application that stays offline ends the wait`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in if look == 2 { try await bed.say(ConnectedMessage(state: .offline)) } }
        #expect(try await bed.kind { try await bed.delete() } == .offline)
        #expect(bed.time.elapsed < 90)
        #expect(try await bed.names() == [])
    }

    @Test func `a final report before the command is gone: the driver waits, then removes the command itself`()
        async throws
    {
        for removes in [true, false] {
            let bed = try DriverBed()
            try await bed.begin { bed, look in
                if look == 2 { try await bed.report(.success, 1) }
                if look == 6, removes {
                    // The report has to stay until the command is gone: another of its kind would be taken away with
                    // it.
                    #expect(try await bed.names() == ["delete_books.xml", "status.xml"])
                    try await bed.folder.remove("delete_books.xml")
                }
            }
            _ = try await bed.delete()
            try bed.check()
            #expect(try await bed.names() == [])
        }
    }

    @Test func `another driver's command is a reason not to begin`() async throws {
        let bed = try DriverBed()
        try await bed.begin()
        try await bed.put(Data("<deletebooks/>".utf8), "upload_books.xml")
        #expect(try await bed.kind { try await bed.delete() } == .busy)
        #expect(try await bed.names() == ["upload_books.xml"])
    }

    @Test func `a report that somebody writes is a reason not to begin, one that nobody writes is removed`()
        async throws
    {
        let busy = try DriverBed()
        try await busy.begin { bed, look in try await bed.report(.inProgress, 0.1, at: Double(look)) }
        try await busy.report(.inProgress, 0.1, at: 0)
        #expect(try await busy.kind { try await busy.delete() } == .busy)

        for left in [CommandStatus.Code.inProgress, .success] {
            let bed = try DriverBed()
            try await bed.begin { bed, _ in
                if try await bed.command(.deleteBooks) != nil { try await bed.finish(.deleteBooks) }
            }
            try await bed.report(left, left == .success ? 1 : 0.1, at: 77)
            _ = try await bed.delete()
            try bed.check()
            #expect(try await bed.names() == [])
        }
    }

    @Test func `a report on another driver's command is not taken for ours`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            let other = CommandStatus(
                timestamp: 1, code: .success, progress: 1, command: "upload_books.xml", commandTimestamp: "5.0")
            if look == 2 { try await bed.report(other) }
        }
        #expect(try await bed.kind { try await bed.delete() } == .busy)
        #expect(try await bed.names() == [CommandStatus.fileName])
    }

    @Test func `an end that the application writes twice holds up no later command`() async throws {
        for appearsAt in [1, 3] {
            let bed = try DriverBed()
            let ends = Mutex<(first: CommandStatus?, looks: Int, isRepeated: Bool)>((nil, 0, false))
            try await bed.begin { bed, _ in
                let hasReport = try await bed.folder.has(CommandStatus.fileName)
                let (first, looks, isRepeated) = ends.withLock {
                    $0.looks += 1
                    return $0
                }
                // The write of the first end is taken for lost, and comes again with a new timestamp.
                if let first, !isRepeated, looks >= appearsAt, !hasReport {
                    var again = first
                    again.timestamp = 9
                    try await bed.report(again)
                    ends.withLock { $0.isRepeated = true }
                    return
                }
                guard !hasReport, first == nil || isRepeated, let command = try await bed.command(.deleteBooks) else {
                    return
                }
                let end = CommandStatus(
                    timestamp: 2, code: .success, progress: 1, command: "delete_books.xml",
                    commandTimestamp: command.timestamp.map { String($0) })
                try await bed.folder.remove("delete_books.xml")
                try await bed.report(end)
                ends.withLock { ($0.first, $0.looks) = ($0.first ?? end, 0) }
            }
            _ = try await bed.delete()
            if appearsAt == 1 {
                let first = try #require(ends.withLock { $0.first })
                try await bed.report(first)
                ends.withLock { $0.isRepeated = true }
            }
            let start = bed.time.elapsed
            _ = try await bed.delete()
            try bed.check()
            #expect(bed.time.elapsed - start < 3, "It is nobody's report, so nothing has to be waited for.")
            #expect(ends.withLock { $0.isRepeated })
            #expect(try await bed.names() == [])
        }
    }

    @Test func `a report that was half there when the driver first looked is no sign of another driver`() async throws {
        let bed = try DriverBed()
        let whole = bed.coding.data(for: CommandStatus(timestamp: 77, code: .success, progress: 1))
        try await bed.begin { bed, look in
            if look == 2 { try await bed.put(whole, CommandStatus.fileName) }
            if try await bed.command(.deleteBooks) != nil { try await bed.finish(.deleteBooks) }
        }
        try await bed.put(whole.prefix(60), CommandStatus.fileName)
        _ = try await bed.delete()
        try bed.check()
        #expect(try await bed.names() == [])
    }

    @Test func `what the application refuses is an error with its messages`() async throws {
        let bed = try DriverBed()
        let message = StatusMessage("It is open.", about: "a.epub")
        try await bed.begin { bed, look in if look == 2 { try await bed.finish(.deleteBooks, .failure, [message]) } }
        #expect(try await bed.kind { try await bed.delete() } == .commandFailed(messages: [message]))
        #expect(try await bed.names() == [])
    }

    @Test func `a storage that fails for a while is no end, one that fails for good is, with its own error`()
        async throws
    {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            switch look {
            case 1:
                try await bed.report(.inProgress, 0.5)
            case 2: bed.provider.become { call, path in call == "open" && path.name == "status.xml" ? .failing : .well }
            case 4:
                bed.provider.become { _, _ in .well }
                try await bed.finish(.deleteBooks)
            default: break
            }
        }
        _ = try await bed.delete()
        try bed.check()

        let dead = try DriverBed()
        try await dead.begin { bed, look in if look == 2 { bed.provider.become { _, _ in .failing } } }
        await #expect(throws: URLError(.networkConnectionLost)) { try await dead.delete() }
        dead.provider.become { _, _ in .well }
        // What could not be taken back goes before the next command.
        #expect(try await dead.names() == ["delete_books.xml"])
        try await dead.begin { bed, _ in
            if try await bed.command(.deleteBooks) != nil { try await bed.finish(.deleteBooks) }
        }
        _ = try await dead.delete()
        #expect(try await dead.names() == [])
    }

    /// Which calls hang, what comes of the command, and the seconds that the wait for all of that may take: a look at
    /// the report has 5, the silence of an application twice 15, other calls 60.
    @Test(arguments: [
        ("list", false, 61.0), ("write", false, 66), ("open", false, 100), ("attributes", true, 10),
        ("remove", true, 65),
    ])
    func `a storage that hangs for good ends the wait`(call: String, isDone: Bool, limit: Double) async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, _ in
            if try await bed.command(.deleteBooks) != nil { try await bed.finish(.deleteBooks) }
        }
        let (time, hung) = (bed.time, CollectedValues<String>())
        bed.provider.become { name, path in
            guard name == call, path.name != ConnectedMessage.fileName else { return .well }
            hung.append(path.name)
            // Whoever waits for this call, and nobody else, sees time go by.
            Task { await time.wakeFirst() }
            return .hanging
        }
        let result = await Task { try await bed.delete() }.result
        try bed.check()
        #expect(!hung.values.isEmpty)
        #expect((5...limit).contains(bed.time.elapsed), "\(bed.time.elapsed)")
        switch result {
        case .success(let report):
            #expect(isDone && report.done == 1)
            // Nothing else is known of the report than that it may still be there.
            #expect(report.messages.map(\.filename) == (call == "remove" ? [CommandStatus.fileName] : []))
        case .failure(let error):
            #expect(!isDone && (error as? URLError)?.code == .timedOut, "\(error)")
        }
    }
}
