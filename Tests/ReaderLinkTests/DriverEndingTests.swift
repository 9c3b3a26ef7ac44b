import FileProviderCore
import Foundation
import Synchronization
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// How operations follow each other, and how they end from outside.
@Suite(.timeLimit(.minutes(2)))
struct DriverEndingTests {
    @Test func `commands go out one after the other, however they are called`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, _ in
            let commands = try await bed.names().filter { $0 != CommandStatus.fileName }
            #expect(commands.count <= 1)
            for kind in ReaderCommand.Kind.allCases { try await bed.finish(kind) }
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try await bed.delete() } }
            for _ in 0..<8 {
                group.addTask {
                    _ = try await bed.session.rebuildCollections([CollectedBook(BookReference(), collections: [])])
                }
            }
            try await group.waitForAll()
        }
        try bed.check()
        #expect(try await bed.names() == [])
    }

    @Test func `a caller who leaves before the application began takes the command back`() async throws {
        let bed = try DriverBed()
        let caller = Mutex<Task<DriverError.Kind?, any Error>?>(nil)
        try await bed.begin { _, look in if look >= 3 { caller.withLock { $0 }?.cancel() } }
        let task = Task { try await bed.kind { try await bed.delete() } }
        caller.withLock { $0 = task }
        #expect(try await task.value == .cancelled)
        #expect(try await bed.names() == [])
    }

    @Test func `a caller who leaves has the application stop, where it can`() async throws {
        let bed = try DriverBed()
        let caller = Mutex<Task<DriverError.Kind?, any Error>?>(nil)
        try await bed.begin(["capabilities": ConnectedMessage.Capability.cancelling]) { bed, look in
            if caller.withLock({ $0 }) == nil { return }
            if try await bed.names().contains(CommandStatus.cancelFileName) {
                try await bed.finish(.deleteBooks, .cancelled)
            } else if try await bed.command(.deleteBooks) != nil {
                try await bed.report(.inProgress, 0.5, at: Double(look))
                caller.withLock { $0 }?.cancel()
            }
        }
        let task = Task { try await bed.kind { try await bed.delete() } }
        caller.withLock { $0 = task }
        #expect(try await task.value == .cancelled)
        #expect(try await bed.names() == [])
    }

    @Test func `a lost connection ends what runs and what waits, and the session goes on when it is back`() async throws
    {
        let bed = try DriverBed()
        try await bed.begin { bed, look in
            if look < 5 { try await bed.report(.inProgress, 0.5, at: Double(look)) }
            if look == 5 { await bed.session.connectionLost() }
            if look > 5 { try await bed.finish(.deleteBooks) }
        }
        let second = Task { try await bed.kind { try await bed.delete() } }
        #expect(try await bed.kind { try await bed.delete() } == .connectionLost)
        _ = try await second.value

        try await bed.begin { bed, _ in
            if try await bed.command(.deleteBooks) != nil { try await bed.finish(.deleteBooks) }
        }
        _ = try await bed.delete()
        #expect(try await bed.names() == [])
    }

    @Test func `after an eject nothing is there any more`() async throws {
        let bed = try DriverBed()
        try await bed.begin { bed, _ in try await bed.finish(.deleteBooks) }
        _ = try await bed.delete()
        await bed.session.eject()
        await bed.session.eject()
        #expect(try await bed.session.probe() == .absent)
        #expect(try await bed.kind { try await bed.delete() } == .ejected)
        await bed.session.shutdown()
    }

    @Test func `an application that names folders elsewhere is refused`() async throws {
        let bed = try DriverBed()
        try await bed.begin(["documents": "../../etc"])
        let book = UploadItem(file: URL(filePath: "/nowhere/a.epub"), metadata: BookMetadata(title: "A"))
        #expect(try await bed.kind { try await bed.session.upload([book]) } == .pathRejected)
    }
}
