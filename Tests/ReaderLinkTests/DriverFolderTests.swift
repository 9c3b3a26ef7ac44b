import FileProviderCore
import Foundation
import Synchronization
import Testing

import ReaderApplication
@testable import ReaderDriver
@testable import ReaderMessages

/// What others leave in the folder, and storages that answer late.
@Suite(.timeLimit(.minutes(2)))
struct DriverFolderTests {
    @Test func `a final report is left for a while to whoever may wait for it`() async throws {
        let bed = try DriverBed()
        let gone = Mutex<Double?>(nil)
        try await bed.begin { bed, _ in
            let isThere = try await bed.names().contains(CommandStatus.fileName)
            if !isThere { gone.withLock { $0 = $0 ?? bed.time.elapsed } }
            try await bed.finish(.deleteBooks)
        }
        try await bed.report(.success, 1, at: 77)
        _ = try await bed.delete()
        try bed.check()
        #expect(try #require(gone.withLock { $0 }) > 3)
        #expect(try await bed.names() == [])
    }

    @Test func `a report that another driver takes, and then sends a command, is not ours to remove`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            if look == 6 { try await bed.put(Data("<uploadbooks/>".utf8), "upload_books.xml") }
        }
        try await bed.report(.success, 1, at: 77)
        #expect(try await bed.kind { try await bed.delete() } == .busy)
        #expect(try await bed.names() == ["status.xml", "upload_books.xml"])
    }

    @Test func `the report on another driver's command is not removed with ours`() async throws {
        let bed = try DriverBed()
        let theirs = CommandStatus(
            timestamp: 9, code: .inProgress, progress: 0, command: "upload_books.xml", commandTimestamp: "5.0")
        try await bed.begin { bed, look in
            if look == 2 { try await bed.report(.success, 1) }
            if look == 4 { try await bed.report(theirs) }
            if look == 5 { try await bed.folder.remove("delete_books.xml") }
        }
        _ = try await bed.delete()
        try bed.check()
        #expect(try await bed.folder.read(CommandStatus.fileName, limit: 1000) == bed.coding.data(for: theirs))
    }

    @Test func `a wish to stop that somebody left does not end the next command`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, _ in
            if try await bed.command(.deleteBooks) != nil {
                let names = try await bed.names()
                #expect(!names.contains(CommandStatus.cancelFileName))
                try await bed.finish(.deleteBooks)
            }
        }
        try await bed.put(Data("cancel".utf8), CommandStatus.cancelFileName)
        _ = try await bed.delete()
        try bed.check()
        #expect(try await bed.names() == [])
    }

    @Test func `an application whose file is away for a moment is there`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            if look == 2 { try await bed.say(ConnectedMessage(timestamp: 2, state: .online)) }
            try await bed.finish(.deleteBooks)
        }
        try await bed.folder.remove(ConnectedMessage.fileName)
        _ = try await bed.delete()
        try bed.check()
    }

    @Test func `one look that hangs is no silence of the application`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            if bed.provider.isLate {
                bed.provider.become { _, _ in .well }
                bed.provider.land()
                while !bed.session.exchange.looks.areOver { await Task.yield() }
            } else if look == 2 {
                try await bed.report(.inProgress, 0.5)
                bed.provider.become { call, path in
                    call == "open" && path.name == CommandStatus.fileName ? .late : .well
                }
            } else if look > 4 {
                try await bed.finish(.deleteBooks)
            }
        }
        let task = Task { try await bed.delete() }
        while !bed.provider.isLate { await Task.yield() }
        await bed.time.waitForSleepers()
        bed.time.advance(by: 14)
        #expect(try await task.value.done == 1)
        try bed.check()
    }

    @Test func `a command that arrives after it was given up is taken back before the next one`() async throws {
        let bed = try DriverBed()
        try await bed.begin()
        let name = ReaderCommand.Kind.deleteBooks.fileName
        bed.provider.become { call, path in call == "write" && path.name == name ? .late : .well }
        let task = Task { try await bed.delete() }
        while !bed.provider.isLate { await Task.yield() }
        await bed.time.waitForSleepers()
        bed.time.advance(by: 61)
        await #expect(throws: URLError.self) { try await task.value }
        bed.provider.become { _, _ in .well }
        // While nobody knows what becomes of it nothing else is sent.
        await #expect(throws: URLError.self) { try await bed.delete() }
        bed.provider.land()
        while try await !bed.names().contains(name) { await Task.yield() }

        let seen = CollectedValues<Double?>()
        try await bed.begin { bed, _ in
            guard let command = try await bed.command(.deleteBooks) else { return }
            seen.append(command.timestamp)
            try await bed.finish(.deleteBooks)
        }
        while await bed.session.exchange.outstanding?.writing.areOver == false { await Task.yield() }
        _ = try await bed.delete()
        try bed.check()
        #expect(seen.values.count == 1)
        #expect(try await bed.names() == [])
    }
}
