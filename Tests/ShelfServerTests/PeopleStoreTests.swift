import Cryptography
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import ShelfServer

@Suite struct PeopleStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func people() async throws -> PeopleStore { try await ServerBench.people(in: folder.url) }

    @Test func `a person is known by name in any case and the right password`() async throws {
        let people = try await people()
        let user = try await people.add(name: "Márta", password: "correct horse")
        #expect(try await people.verify(name: "márta", password: "correct horse") == user)
        #expect(try await people.verify(name: "MÁRTA", password: "correct horse") == user)
        #expect(try await people.verify(name: "Márta", password: "Correct horse") == nil)
        #expect(try await people.verify(name: "Marta", password: "correct horse") == nil)
        #expect(try await people.list() == [user])
        try await people.close()
    }

    @Test func `the file has neither the password nor its digest`() async throws {
        let people = try await people()
        _ = try await people.add(name: "Ann", password: "correct horse")
        try await people.close()
        let file = try Data(contentsOf: folder.url.appending(path: "people.sqlite"))
        #expect(file.range(of: Data("Ann".utf8)) != nil)
        #expect(file.range(of: Data("correct horse".utf8)) == nil)
        let digest = Digest(.md5, of: Data("correct horse".utf8)).hexadecimal
        #expect(file.range(of: Data(digest.utf8)) == nil)
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder.url.appending(path: "people.sqlite").path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `KOReader's key of the same password is right, and no password`() async throws {
        let people = try await people()
        let user = try await people.add(name: "Ann", password: "correct horse")
        let key = Digest(.md5, of: Data("correct horse".utf8)).hexadecimal
        #expect(try await people.verify(name: "Ann", koreaderKey: key) == user)
        #expect(try await people.verify(name: "Ann", koreaderKey: key.uppercased()) == user)
        #expect(try await people.verify(name: "Ann", password: key) == nil)
        #expect(try await people.verify(name: "Ann", koreaderKey: String(key.reversed())) == nil)
        #expect(try await people.verify(name: "Ann", koreaderKey: "short") == nil)
        try await people.close()
    }

    @Test func `an account that KOReader made has no password`() async throws {
        let people = try await people()
        let key = Digest(.md5, of: Data("correct horse".utf8)).hexadecimal
        let user = try await people.add(name: "Bo", koreaderKey: key)
        #expect(try await people.verify(name: "Bo", koreaderKey: key) == user)
        #expect(try await people.verify(name: "Bo", password: "correct horse") == nil)
        #expect(try await people.verify(name: "Bo", password: "") == nil)
        try await people.close()
    }

    @Test func `a name that is taken is refused before KOReader's key is looked at`() async throws {
        let people = try await people()
        _ = try await people.add(name: "Ann", password: "correct horse")
        let taken = await #expect(throws: CocoaError.self) {
            try await people.add(name: "ann", koreaderKey: "short")
        }
        #expect(taken?.code == .fileWriteFileExists)
        let short = await #expect(throws: CocoaError.self) { try await people.add(name: "Bo", koreaderKey: "short") }
        #expect(short?.code == .formatting)
        try await people.close()
    }

    @Test func `another password ends the old one, also where it was remembered`() async throws {
        let people = try await people()
        let user = try await people.add(name: "Ann", password: "correct horse")
        #expect(try await people.recall(name: "Ann", password: "correct horse") == nil)
        #expect(try await people.verify(name: "Ann", password: "correct horse") == user)
        #expect(try await people.recall(name: "Ann", password: "correct horse") == user)
        try await people.setPassword("battery staple", of: "ann")
        #expect(try await people.recall(name: "Ann", password: "correct horse") == nil)
        #expect(try await people.verify(name: "Ann", password: "correct horse") == nil)
        let changed = try #require(try await people.verify(name: "Ann", password: "battery staple"))
        #expect(changed.id == user.id && changed.passwordVersion != user.passwordVersion)
        try await people.close()
    }

    @Test func `a removed person is gone with their places, and nobody gets their number`() async throws {
        let people = try await people()
        let user = try await people.add(name: "Ann", password: "correct horse")
        let place = KeptPlace(locator: Data("{}".utf8), totalProgression: 0.5, modified: Date(timeIntervalSince1970: 9))
        try await people.keep(place, of: user, in: 3)
        try await people.remove(name: "ANN")
        #expect(try await people.user(user.id) == nil)
        #expect(try await people.place(of: user, in: 3) == nil)
        #expect(try await people.add(name: "Ann", password: "correct horse").id != user.id)
        let error = await #expect(throws: CocoaError.self) { try await people.remove(name: "Nobody") }
        #expect(error?.code == .fileNoSuchFile)
        try await people.close()
    }

    @Test(arguments: ["", " Ann", "a:b", "a\nb", String(repeating: "a", count: 65)])
    func `names that a login cannot carry are refused`(name: String) async throws {
        let people = try await people()
        let error = await #expect(throws: CocoaError.self) {
            try await people.add(name: name, password: "correct horse")
        }
        #expect(error?.code == .formatting)
        try await people.close()
    }

    @Test func `a short password and a name that is taken are refused`() async throws {
        let people = try await people()
        let short = await #expect(throws: CocoaError.self) { try await people.add(name: "Ann", password: "seven77") }
        #expect(short?.code == .formatting)
        _ = try await people.add(name: "Ann", password: "correct horse")
        let taken = await #expect(throws: CocoaError.self) {
            try await people.add(name: "ann", password: "battery staple")
        }
        #expect(taken?.code == .fileWriteFileExists)
        try await people.close()
    }

    @Test func `places are kept as they were sent, one for each person and book`() async throws {
        let people = try await people()
        let (ann, bo) = (
            try await people.add(name: "Ann", password: "correct horse"),
            try await people.add(name: "Bo", password: "correct horse")
        )
        let sent = Data("{ \"href\" : \"a\",\"type\":\"text/html\" }".utf8)
        for (book, seconds) in [(1, 10.0), (2, 30.0), (3, 20.0)] {
            let place = KeptPlace(
                locator: sent, totalProgression: nil, modified: Date(timeIntervalSince1970: seconds), device: "Desk")
            try await people.keep(place, of: ann, in: Int64(book))
        }
        #expect(try await people.place(of: ann, in: 1)?.locator == sent)
        #expect(try await people.place(of: bo, in: 1) == nil)
        #expect(try await people.recent(of: ann, limit: 2).map(\.book) == [2, 3])
        #expect(try await people.recent(of: ann, limit: 9).map(\.book) == [2, 3, 1])
        #expect(try await people.recent(of: .everyone, limit: 9).isEmpty)
        try await people.close()
    }

    @Test func `an older place replaces no newer one`() async throws {
        let people = try await people()
        let user = try await people.add(name: "Ann", password: "correct horse")
        for (text, seconds) in [("first", 20.5), ("older", 20.25), ("same time", 20.5), ("oldest", 3.0)] {
            let place = KeptPlace(
                locator: Data(text.utf8), totalProgression: nil, modified: Date(timeIntervalSince1970: seconds))
            try await people.keep(place, of: user, in: 1)
        }
        #expect(try await people.place(of: user, in: 1)?.locator == Data("same time".utf8))
        try await people.close()
    }

    @Test func `a time in the far future counts as the present`() async throws {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let people = try await ServerBench.people(in: folder.url, now: { now })
        let user = try await people.add(name: "Ann", password: "correct horse")
        for (book, ahead, kept) in [(1, 299.0, 299.0), (2, 301.0, 0.0), (3, 1e10, 0.0)] {
            let place = KeptPlace(locator: Data("{}".utf8), totalProgression: nil, modified: now + ahead)
            try await people.keep(place, of: user, in: Int64(book))
            #expect(try await people.place(of: user, in: Int64(book))?.modified == now + kept)
        }
        try await people.close()
    }

    @Test func `KOReader's progress is kept for each document, after a restart too`() async throws {
        var people = try await people()
        let user = try await people.add(name: "Ann", password: "correct horse")
        let progress = KeptProgress(
            document: "0123", progress: "/body/DocFragment[3].0", percentage: 0.25, device: "Kobo", deviceID: "x",
            timestamp: 77)
        try await people.keep(progress, of: user)
        try await people.keepDocument("0123", of: 5, version: "v1")
        try await people.close()
        people = try await self.people()
        #expect(try await people.progress(of: user, document: "0123") == progress)
        #expect(try await people.progress(of: user, document: "4567") == nil)
        #expect(try await people.books(ofDocument: "0123") == [5])
        #expect(try await people.document(of: 5, version: "v1") == "0123")
        #expect(try await people.document(of: 5, version: "v2") == nil)
        try await people.close()
    }

    @Test func `ended sessions are kept until they would be too old`() async throws {
        let time = LockedValue(Date(timeIntervalSince1970: 1_700_000_000))
        let people = try await ServerBench.people(in: folder.url, now: { time.value })
        let user = try await people.add(name: "Ann", password: "correct horse")
        let first = Session(of: user, at: time.value, ShelfKey(ServerBench.key))
        try await people.end(first)
        try await people.end(first)
        #expect(try await people.hasEnded(first))
        time.update { $0 += 31 * 86_400 }
        let second = Session(of: user, at: time.value, ShelfKey(ServerBench.key))
        #expect(try await !people.hasEnded(second))
        try await people.end(second)
        #expect(try await people.hasEnded(second))
        #expect(try await !people.hasEnded(first))
        try await people.close()
    }

    @Test func `the progress in a person's newest documents is kept`() async throws {
        let people = try await people()
        let (ann, bo) = (
            try await people.add(name: "Ann", password: "correct horse"),
            try await people.add(name: "Bo", password: "correct horse")
        )
        func keep(_ document: String, at time: Int64, of user: User) async throws {
            let progress = KeptProgress(
                document: document, progress: "1", percentage: 0.5, device: "Kobo", deviceID: "x", timestamp: time)
            try await people.keep(progress, of: user, most: 3)
        }
        func kept(of user: User) async throws -> [String] {
            var found: [String] = []
            for document in ["a", "b", "c", "d", "e"] {
                if try await people.progress(of: user, document: document) != nil { found.append(document) }
            }
            return found
        }
        try await keep("a", at: 1, of: bo)
        for (document, time) in [("a", 10), ("b", 20), ("c", 30), ("a", 40)] as [(String, Int64)] {
            try await keep(document, at: time, of: ann)
        }
        #expect(try await kept(of: ann) == ["a", "b", "c"])
        try await keep("d", at: 50, of: ann)
        #expect(try await kept(of: ann) == ["a", "c", "d"])
        // The clock of the server was set back.
        try await keep("e", at: 5, of: ann)
        #expect(try await kept(of: ann) == ["a", "d", "e"])
        #expect(try await kept(of: bo) == ["a"])
        #expect(PeopleStore.mostDocuments == 5_000)
        try await people.close()
    }

    @Test func `an account that another process adds is known at once`() async throws {
        let (server, command) = (try await people(), try await people())
        #expect(try await server.list().isEmpty)
        let user = try await command.add(name: "Ann", password: "correct horse")
        #expect(try await server.verify(name: "Ann", password: "correct horse") == user)
        try await command.close()
        try await server.close()
    }
}
