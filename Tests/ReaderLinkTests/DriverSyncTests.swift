import FileProviderCore
import Foundation
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// Lists that are brought to a device, actions, and the device's memory.
@Suite(.timeLimit(.minutes(2)))
struct DriverSyncTests {
    private func book(_ title: String, uuid: String) -> LibraryBook {
        var book = LibraryBook(
            filename: "\(title).epub", title: title, uuid: uuid, added: Date(timeIntervalSince1970: 0))
        book.authors = ["Ann Author"]
        return book
    }

    @Test(arguments: [true, false])
    func `a list is brought to the device by what differs, and nothing is sent where nothing does`(takesSingle: Bool)
        async throws
    {
        let bed = try DriverBed(reader: JSONSnapshotReader())
        let present = [book("one", uuid: "aa"), book("two", uuid: "bb"), book("three", uuid: "cc")]
        var wanted = present
        (wanted[0].series, wanted[0].seriesIndex) = ("S", 1)
        wanted[1].collections = ["C"]
        let (after, sent) = (wanted, CollectedValues<ReaderCommand>())
        var attributes = ["snapshot": "library.sqlite"]
        if takesSingle { attributes["capabilities"] = ConnectedMessage.Capability.metadataItems }
        try await bed.begin(attributes) { bed, _ in
            for kind in ReaderCommand.Kind.allCases {
                guard let command = try await bed.command(kind) else { continue }
                sent.append(command)
                // An application renews its list before it tells the end.
                if kind == .rebuildCollections { try await bed.publish(after) }
                try await bed.finish(kind)
            }
        }
        try await bed.publish(present)
        // One book is on the device alone, and one in the list alone.
        let list = BookList(Array(wanted.dropLast()) + [book("new", uuid: "dd")])
        let progress = CollectedValues<Double>()
        #expect(try await bed.session.sync(list) { progress.append($0) } == SyncReport(updated: 1, collected: 1))
        try bed.check()
        #expect(sent.values.map(\.kind) == [takesSingle ? .updateMetadataItems : .updateMetadata, .rebuildCollections])
        for command in sent.values {
            switch command {
            case .updateMetadata(let update), .updateMetadataItems(let update):
                #expect(!update.cleanUpCollections)
                #expect(update.books.map(\.reference.uuid) == ["aa"])
                #expect(update.books.map(\.series) == ["S"])
            case .rebuildCollections(let rebuild):
                #expect(rebuild.books.map(\.reference.uuid) == ["bb"])
                #expect(rebuild.books.map(\.collections) == [["C"]])
            case .uploadBooks, .deleteBooks, .action: Issue.record("\(command.kind) was sent.")
            }
        }
        #expect(progress.values == progress.values.sorted() && progress.values.last == 1)

        #expect(try await bed.session.sync(list) == SyncReport())
        #expect(sent.values.count == 2)
        #expect(try await bed.names() == ["library.sqlite"])
    }

    @Test func `an action is carried out by an application that offers actions, and sent to no other`() async throws {
        let bed = try DriverBed()
        let books = [BookReference(filename: "a.epub"), BookReference(filename: "b.epub")]
        let action = ReaderAction(type: "LockBooks", books: books, parameters: ["reason": "<&>"])
        try await bed.begin()
        #expect(try await bed.kind { try await bed.session.perform(action) } == .incompatiblePeer)
        #expect(!bed.provider.calls.contains { $0.hasPrefix("write") })

        let sent = CollectedValues<ReaderAction>()
        let message = StatusMessage("It is open.", about: "b.epub")
        try await bed.begin(["capabilities": ConnectedMessage.Capability.actions]) { bed, _ in
            guard case .action(let action)? = try await bed.command(.action) else { return }
            sent.append(action)
            try await bed.finish(.action, .warnings, [message])
        }
        #expect(try await bed.session.perform(action) == CommandReport(count: 2, messages: [message], done: 1))
        try bed.check()
        #expect(sent.values.map(\.type) == ["LockBooks"])
        #expect(sent.values.map { $0.books.map(\.filename) } == [["a.epub", "b.epub"]])
        #expect(sent.values.map(\.parameters) == [["reason": "<&>"]])
    }

    @Test func `the device's memory is what the storage says of it, and a storage that hangs ends the question`()
        async throws
    {
        let bed = try DriverBed(capacity: 1000)
        try await bed.folder.create()
        try await bed.put(Data(count: 100), "some.epub")
        let space = try #require(await bed.session.space())
        #expect(space.totalCapacity == 1000)
        #expect(space.availableCapacity == 1000 - (space.usage ?? 0))
        let time = bed.time
        bed.provider.become { call, _ in
            guard call == "space" else { return .well }
            Task { await time.wakeFirst() }
            return .hanging
        }
        await #expect { try await bed.session.space() } throws: { ($0 as? URLError)?.code == .timedOut }
        await bed.session.eject()
        #expect(try await bed.kind { try await bed.session.space() } == .ejected)
    }
}
