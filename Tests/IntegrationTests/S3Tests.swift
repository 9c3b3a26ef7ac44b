import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import S3FileProvider
import Testing

/// Against a real S3 server (moto).
@Suite(.enabled(if: TestServers.s3 != nil, "there is no S3 server in this run"))
struct S3Tests {
    private let server: S3Server

    init() throws {
        server = try #require(TestServers.s3)
    }

    /// 12 MiB and a little: three parts of the smallest size that S3 takes.
    private static let long = Data((0..<(12 << 20 + 5)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) })
    private static let part = 5 << 20

    private func expect(_ code: CocoaError.Code, _ body: () async throws -> Void) async {
        let error = await #expect(throws: CocoaError.self) { try await body() }
        #expect(error?.code == code)
    }

    @Test func `an upload that lost its connection is finished with what is missing`() async throws {
        let counters = TransferCounters()
        try await server.withFolder(try server.provider(partSize: Self.part, counters: counters)) { provider, folder in
            let path = try folder.appending("long, with + and %")
            let source = ScriptedSource(Self.long, end: 11 << 20, then: .lost)
            await #expect(throws: URLError.self) {
                _ = try await provider.writeContents(path: path, from: source, options: WriteOptions())
            }
            await #expect(throws: CocoaError.self) { try await provider.attributesOfItem(path: path) }
            // Another provider knows nothing of the first.
            let again = TransferCounters()
            let second = try server.provider(partSize: Self.part, counters: again)
            let item = try await second.writeContents(path: path, contents: Self.long)
            #expect(again[.bytesOut] < Int64(4 << 20), "only the last part was missing")
            #expect(item.entryTag?.hasSuffix("-3\"") == true)
            #expect(try await provider.attributesOfItem(path: path).entryTag == item.entryTag)
            #expect(try await provider.contents(path: path) == Self.long)
        }
    }

    @Test func `a file in parts is not made where another is, and replaces one of the right version alone`()
        async throws
    {
        try await server.withFolder(try server.provider(partSize: Self.part)) { provider, folder in
            let path = try folder.appending("file")
            let first = try await provider.writeContents(path: path, contents: Self.long)
            await expect(.fileWriteFileExists) { _ = try await provider.writeContents(path: path, contents: Self.long) }
            let wanted = WriteOptions(overwrite: true, ifMatch: first.entryTag)
            _ = try await provider.writeContents(path: path, from: DataSource(Self.long.dropFirst()), options: wanted)
            await expect(.fileWriteUnknown) {
                _ = try await provider.writeContents(path: path, from: DataSource(Self.long), options: wanted)
            }
            #expect(try await provider.attributesOfItem(path: path).size == Int64(Self.long.count - 1))
        }
    }

    @Test func `the MD5 of a file in one piece is known, and that of a file in parts is not`() async throws {
        try await server.withFolder(try server.provider(partSize: Self.part)) { provider, folder in
            let storage = try #require(provider as any FileProvider as? any FileProviderChecksums)
            let short = try folder.appending("short")
            try await provider.writeContents(path: short, contents: Data("abc".utf8))
            #expect(try await storage.checksum(of: short, kind: "md5") == "900150983cd24fb0d6963f7d28e17f72")
            let long = try folder.appending("long")
            try await provider.writeContents(path: long, contents: Self.long)
            await expect(.featureUnsupported) { _ = try await storage.checksum(of: long, kind: "md5") }
        }
    }

    @Test func `versions and removed objects of a bucket that keeps them come back`() async throws {
        let provider = try server.provider(bucket: "\(server.bucket)-versions")
        let folder = try ProviderPath("d-\(UInt32.random(in: 0 ... .max))")
        let path = try folder.appending("f +%")
        for text in ["one", "two!"] {
            try await provider.writeContents(path: path, contents: Data(text.utf8), overwrite: true)
        }
        let versions = try await provider.versions(of: path)
        #expect(versions.map(\.size) == [4, 3] && versions.map(\.isCurrent) == [true, false])
        let first = try #require(versions.last)
        #expect(try await provider.open(first).read(.whole).data == Data("one".utf8))
        try await provider.restore(first)
        #expect(try await provider.contents(path: path) == Data("one".utf8))
        #expect(try await provider.versions(of: path).count == 3)

        try await provider.removeItem(path: path)
        let item = try #require(try await provider.trashItems(below: folder).first)
        #expect(item.path == path && item.size == 3)
        try await provider.restore(item)
        #expect(try await provider.contents(path: path) == Data("one".utf8))
        #expect(try await provider.trashItems(below: folder).isEmpty)
        await expect(.fileNoSuchFile) { try await provider.restore(item) }
        try await provider.removeItem(path: path)
        try await provider.removeFromTrash(#require(try await provider.trashItems(below: folder).first))
        await expect(.fileReadNoSuchFile) { _ = try await provider.versions(of: path) }
    }

    @Test func `an EPUB is stored as one`() async throws {
        try await server.withFolder(try server.provider(partSize: Self.part)) { provider, folder in
            for (name, data) in [("short.epub", Data([1])), ("long.epub", Self.long)] {
                let path = try folder.appending(name)
                try await provider.writeContents(path: path, contents: data)
                #expect(try await provider.attributesOfItem(path: path).mimeType == "application/epub+zip")
            }
        }
    }

    @Test func `a folder of more than a page is listed, copied, moved and removed in batches`() async throws {
        let counters = TransferCounters()
        let count = 1100
        try await server.withFolder(try server.provider(counters: counters)) { provider, folder in
            let path = try folder.appending("many")
            try await provider.createFolder(path: path)
            let request = try provider.service.request(
                for: .write(path.appending("x")), overwrite: true, attributes: HTTPWriteAttributes(contents: Data()))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<count {
                    if index >= 8 { try await group.next() }
                    group.addTask {
                        var one = try #require(request)
                        one.path = try path.appending("file & <\(index)>")
                        one.body = .source(DataSource(Data()))
                        _ = try await provider.connection.send(one)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await provider.contentsOfDirectory(path: path).count == count)
            let target = try folder.appending("moved")
            try await provider.moveItem(path: path, to: target)
            #expect(try await provider.contentsOfDirectory(path: target).count == count)
            await expect(.fileReadNoSuchFile) { _ = try await provider.attributesOfItem(path: path) }
            let before = counters[.requests]
            try await provider.removeItem(path: target)
            // Two looks at the folder, two pages, two batches.
            #expect(counters[.requests] - before <= 6)
            await expect(.fileReadNoSuchFile) { _ = try await provider.attributesOfItem(path: target) }
        }
    }

    @Test func `a folder is there as long as something is below it`() async throws {
        try await server.withFolder { provider, folder in
            // As another program writes it: no markers.
            let path = try folder.appending(ProviderPath("made/by/others"))
            var request = try #require(
                try provider.service.request(
                    for: .write(path), overwrite: true, attributes: HTTPWriteAttributes(contents: Data("x".utf8))))
            request.body = .source(DataSource(Data("x".utf8)))
            _ = try await provider.connection.send(request)
            let made = try folder.appending("made")
            #expect(try await provider.attributesOfItem(path: made).isDirectory)
            #expect(try await provider.contentsOfDirectory(path: made).map(\.name) == ["by"])
            try await provider.removeItem(path: path)
            await expect(.fileReadNoSuchFile) { _ = try await provider.attributesOfItem(path: made) }
        }
    }

    @Test func `a wrong secret, a wrong key and a bucket that is not there are told apart`() async throws {
        guard case .password(let key, let secret) = server.credential.kind else {
            Issue.record("The login is another.")
            return
        }
        let cases: [(Credential, String?, String)] = [
            (.password(user: key, password: "wrong"), nil, "secret key"),
            (.password(user: "AKIAWRONG", password: secret), nil, "does not know this access key"),
            (server.credential, "no-such-bucket-here", "no bucket called “no-such-bucket-here”"),
        ]
        for (credential, bucket, words) in cases {
            let provider = try server.provider(credential: credential, bucket: bucket)
            let error = await #expect(throws: (any Error).self) { try await provider.contentsOfDirectory(path: .root) }
            #expect(error?.sentence.contains(words) == true, "\(error?.sentence ?? "")")
            await #expect { try await provider.checkReachability() } throws: { $0.sentence.contains(words) }
        }
    }
}
