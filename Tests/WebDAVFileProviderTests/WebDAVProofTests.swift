import FaultServer
import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// What was put is there before anything old goes.
@Suite struct WebDAVProofTests {
    private let old = Data("old content".utf8)
    private let sizes = [5, (1 << 20) + 1]

    private func body(_ size: Int) -> Data { Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }) }

    private func write(
        _ provider: WebDAVFileProvider, _ data: Data, _ name: String = "f", overwrite: Bool = true,
        placement: WriteOptions.Placement = .published
    ) async throws -> FileObject {
        try await provider.writeContents(
            path: ProviderPath(name), from: DataSource(data),
            options: WriteOptions(overwrite: overwrite, placement: placement))
    }

    @Test(arguments: [0, 3], [WebDAVQuirks.Vendor.other, .apache, .nginx, .lighttpd, .rclone])
    func `an upload that the server does not keep replaces nothing and leaves nothing`(
        _ kept: Int, _ vendor: WebDAVQuirks.Vendor
    )
        async throws
    {
        for size in sizes {
            let double = ManneredDouble(.keeps(kept), files: ["/f": old])
            try await double.serve(vendor) { provider, _ in
                let error = await #expect(throws: CocoaError.self) { _ = try await write(provider, body(size)) }
                #expect(error?.code == .fileWriteUnknown)
                #expect(
                    error?.sentence == "The server kept \(kept) of the \(size) bytes of “/f”. Nothing was replaced.")
                #expect(double.files == ["/f": old])
            }
        }
    }

    @Test(arguments: [WebDAVQuirks.Vendor.other, .apache, .lighttpd, .rclone, .nextcloud])
    func `of a new file that the server does not keep nothing is left`(_ vendor: WebDAVQuirks.Vendor) async throws {
        for size in sizes {
            let double = ManneredDouble(.keeps(0))
            try await double.serve(vendor) { provider, _ in
                let error = await #expect(throws: CocoaError.self) {
                    _ = try await write(provider, body(size), overwrite: false)
                }
                #expect(error?.sentence.hasPrefix("The server kept 0 of the \(size) bytes of “/f”.") == true)
                #expect(double.files == [:])
            }
        }
    }

    @Test func `a file is replaced directly once an upload was seen whole under a temporary name`() async throws {
        let double = ManneredDouble(.honest, files: ["/f": old])
        try await double.serve(.apache) { provider, server in
            // A new file that was put directly has shown nothing about replacing, an empty one nothing at all.
            _ = try await write(provider, Data("new".utf8), "g", overwrite: false)
            _ = try await write(provider, Data())
            let before = server.sent.count
            #expect(server.sent.prefix(before) == ["PUT /g", "PROPFIND /g", "PROPFIND /f", "PUT", "PROPFIND", "MOVE"])
            for text in ["first", "second"] { _ = try await write(provider, Data(text.utf8)) }
            #expect(
                server.sent.dropFirst(before) == ["PROPFIND /f", "PUT", "PROPFIND", "MOVE", "PUT /f", "PROPFIND /f"])
            #expect(double.files["/f"] == Data("second".utf8))
        }
    }

    @Test func `a file that was replaced directly and not kept is told as damaged`() async throws {
        let double = ManneredDouble(.honest, files: ["/f": old])
        try await double.serve(.apache) { provider, _ in
            _ = try await write(provider, Data("first".utf8))
            double.set(.keeps(2))
            let error = await #expect(throws: CocoaError.self) { _ = try await write(provider, Data("second".utf8)) }
            #expect(error?.sentence == "The server kept 2 of the 6 bytes of “/f”. The file is damaged now.")
        }
    }

    @Test(arguments: [
        ("Repr-Digest", "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"),
        ("X-Hash-SHA1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("Digest", "md5=kAFQmDzST7DWlj99KOF/cg=="), ("Content-MD5", "kAFQmDzST7DWlj99KOF/cg=="),
    ])
    func `an upload whose answer has the hash of its bytes is not looked at`(_ name: String, _ value: String)
        async throws
    {
        let server = try FaultServer { request in
            request.method == "PUT" ? .reply(201, headers: [name: value]) : .reply(201)
        }
        defer { server.stop() }
        let written = try await ManneredDouble(.honest).provider(server).writeContents(
            path: ProviderPath("f"), contents: Data("abc".utf8))
        #expect(written.size == 3)
        #expect(server.sent == ["PUT", "MOVE"])
    }

    @Test(arguments: [
        ("ETag", "\"a9993e364706816aba3e25717850c26c9cd0d89d\""), ("Repr-Digest", "sha-256=:AAAA:"), ("Digest", "x"),
        ("OC-Checksum", "SHA1:a9993e364706816aba3e25717850c26c9cd0d89d"),
    ])
    func `an entry tag, another hash and one that the client sent are no proof`(_ name: String, _ value: String)
        async throws
    {
        let double = ManneredDouble(.honest)
        let server = try FaultServer { request in
            let answer = double.answer(request)
            return request.method == "PUT" ? .reply(201, headers: [name: value]) : answer
        }
        defer { server.stop() }
        try await double.provider(server).writeContents(path: ProviderPath("f"), contents: Data("abc".utf8))
        #expect(server.sent == ["PUT", "PROPFIND", "MOVE"])
    }

    @Test(arguments: [WebDAVQuirks.Vendor.other, .apache])
    func `a file that is missing after its upload is told so, and a page in its place, too`(
        _ vendor: WebDAVQuirks.Vendor
    ) async throws {
        let double = ManneredDouble(.answersWithPage, files: ["/f": old])
        try await double.serve(vendor) { provider, _ in
            for (name, overwrite) in [("f", true), ("g", false)] {
                let error = await #expect(throws: CocoaError.self) {
                    _ = try await write(provider, Data("new".utf8), name, overwrite: overwrite)
                }
                #expect(error?.code == .fileWriteUnknown)
                #expect(
                    error?.sentence.hasPrefix(
                        "The server answered the upload of “/\(name)” with 200, but kept no file.") == true)
                #expect(error?.sentence.hasSuffix("Its answer was a web page: a login page may be in the way.") == true)
            }
            #expect(double.files == ["/f": old])
        }
    }

    // MARK: Folders that may be written and not read

    @Test(arguments: [403, 405], [WebDAVQuirks.Vendor.other, .apache, .lighttpd])
    func `where nobody may look the acknowledgement is the proof, and the file has no size`(
        _ status: Int, _ vendor: WebDAVQuirks.Vendor
    )
        async throws
    {
        for size in sizes {
            let double = ManneredDouble(.dropBox(status), files: ["/f": old])
            try await double.serve(vendor) { provider, _ in
                let written = try await write(provider, body(size))
                #expect(written.size == nil && written.path.string == "/f")
                let new = try await write(provider, body(size), "g", overwrite: false)
                #expect(new.size == nil)
                #expect(double.files == ["/f": body(size), "/g": body(size)])
                _ = try await provider.capabilities()
            }
        }
    }

    @Test(arguments: [403, 405], [true, false])
    func `in place needs neither looks nor a move`(_ status: Int, _ overwrite: Bool) async throws {
        for size in sizes {
            let double = ManneredDouble(.slot(status), files: overwrite ? ["/f": old] : [:])
            try await double.serve { provider, server in
                let written = try await write(provider, body(size), overwrite: overwrite, placement: .inPlace)
                #expect(written.size == nil)
                #expect(double.files == ["/f": body(size)])
                #expect(server.requests.filter { $0.method == "PUT" }.map(\.target) == ["/f"])
                #expect(!server.requests.contains { $0.method == "MOVE" })
            }
        }
    }

    @Test(arguments: [403, 405])
    func `a folder is copied into one that nobody may look at, a second time too`(_ status: Int) async throws {
        let files = ["/d/f": Data("content".utf8), "/d/e/g": Data("more".utf8)]
        let source = DAVDouble(files: files, folders: ["/d", "/d/e"])
        let server = try FaultServer { source.answer($0) }
        defer { server.stop() }
        let origin = try WebDAVFileProvider(
            configuration: WebDAVConfiguration(baseURL: server.url(), quirks: WebDAVQuirks(.other)))
        let double = ManneredDouble(.dropBox(status))
        try await double.serve { provider, _ in
            for _ in 1...2 {
                let outcome = try await TreeCopy(overwrite: true).copyFolder(
                    ProviderPath("d"), of: origin, to: ProviderPath("d"), of: provider)
                #expect(outcome.failed.isEmpty && outcome.copied == 2 && outcome.unverified == 2)
                #expect(double.files == files)
            }
        }
    }

    @Test(arguments: [403, 405])
    func `where neither looks nor moves are allowed, the sentence says to write in place`(_ status: Int) async throws {
        let double = ManneredDouble(.slot(status), files: ["/f": old])
        try await double.serve { provider, _ in
            let error = await #expect(throws: CocoaError.self) { _ = try await write(provider, Data("new".utf8)) }
            #expect(error?.sentence.contains("“/f”") == true && error?.sentence.contains("Write in place") == true)
            #expect(double.files["/f"] == old)
        }
    }

    @Test func `a web page is no acknowledgement where nobody may look`() async throws {
        let double = ManneredDouble(.answersWithPage)
        let server = try FaultServer { $0.method == "PROPFIND" ? .reply(403) : double.answer($0) }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            _ = try await write(double.provider(server), Data("new".utf8), placement: .inPlace)
        }
        #expect(error?.code == .fileWriteNoPermission)
    }
}
