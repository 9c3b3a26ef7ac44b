import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

@testable import WebDAVFileProvider

/// Servers, and proxies in front of them, that refuse a part of what a write needs, or do not answer it.
@Suite struct WebDAVRefusalTests {
    private let old = Data("old content".utf8)
    private let new = Data("new".utf8)
    private let large = Data((0..<((1 << 20) + 1)).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    private func write(
        _ provider: WebDAVFileProvider, _ source: any WriteSource, _ name: String = "f", overwrite: Bool = true,
        placement: WriteOptions.Placement = .published
    ) async throws -> FileObject {
        try await provider.writeContents(
            path: ProviderPath(name), from: source, options: WriteOptions(overwrite: overwrite, placement: placement))
    }

    // MARK: MOVE

    @Test(arguments: [405, 501, 502], [false, true])
    func `where MOVE is refused, the same bytes are put to the name once they were seen`(
        _ status: Int, _ isOneShot: Bool
    ) async throws {
        for data in [new, large] {
            let double = ManneredDouble(.refusesMoves(status), files: ["/f": old])
            try await double.serve { provider, server in
                let source: any WriteSource = isOneShot ? oneShot(data, length: Int64(data.count)) : DataSource(data)
                let written = try await write(provider, source)
                #expect(written.size == Int64(data.count))
                #expect(double.files == ["/f": data])
                let puts = server.requests.filter { $0.method == "PUT" }
                #expect(puts.count == 2 && puts[0].target.contains(TemporaryName.suffix) && puts[1].target == "/f")
                // The version that was seen there goes, and no other.
                #expect(puts[1].headers["if-match"] == "\"\(old.hashValue)\"")
                let capabilities = try await provider.capabilities()
                #expect(capabilities[.atomicReplacement] == .unavailable && capabilities[.moving] == .unavailable)
                // Nobody asks again.
                let moves = server.requests.filter { $0.method == "MOVE" }.count
                _ = try await write(provider, DataSource(Data("third".utf8)))
                _ = try await write(provider, DataSource(new), "g", overwrite: false)
                #expect(server.requests.filter { $0.method == "MOVE" }.count == moves)
                #expect(double.files == ["/f": Data("third".utf8), "/g": new])
            }
        }
    }

    @Test(arguments: [405, 501])
    func `where MOVE is refused, a move names the operation and the provider`(_ status: Int) async throws {
        let double = ManneredDouble(.refusesMoves(status), files: ["/f": old])
        try await double.serve { provider, _ in
            let error = await #expect(throws: CocoaError.self) {
                try await provider.moveItem(path: ProviderPath("f"), to: ProviderPath("g"))
            }
            #expect(error?.code == .featureUnsupported && error?.sentence == "WebDAV cannot move here (“/f”).")
            #expect(double.files == ["/f": old])
        }
    }

    @Test(arguments: [405, 502])
    func `a new file does not replace one that is there, MOVE or not`(_ status: Int) async throws {
        let double = ManneredDouble(.refusesMoves(status), files: ["/f": old])
        try await double.serve { provider, _ in
            for _ in 0..<2 {
                let error = await #expect(throws: CocoaError.self) {
                    _ = try await write(provider, DataSource(new), overwrite: false)
                }
                #expect(error?.code == .fileWriteFileExists)
            }
            #expect(double.files == ["/f": old])
        }
    }

    @Test func `a version that came while the part was put is not replaced`() async throws {
        let double = ManneredDouble(.refusesMoves(405), files: ["/f": old])
        let other = Data("another's".utf8)
        let server = try FaultServer { request in
            // Another client writes in between.
            if request.method == "MOVE" { double.double.keep(other, at: "/f") }
            if request.method == "PUT", let wanted = request.headers["if-match"],
                double.files["/f"].map({ "\"\($0.hashValue)\"" }) != wanted
            {
                return .reply(412)
            }
            return double.answer(request)
        }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            _ = try await write(double.provider(server), DataSource(new))
        }
        #expect(error?.sentence.contains("no longer the version") == true)
        #expect(double.files == ["/f": other])
    }

    @Test func `a Destination of the path alone is tried, and what has worked is kept for the host`() async throws {
        let double = ManneredDouble(.wantsPathAlone, files: ["/f": old])
        let servers = WebDAVServers()
        try await double.serve(servers: servers) { provider, server in
            _ = try await write(provider, DataSource(new))
            #expect(double.files == ["/f": new])
            #expect(
                server.requests.filter { $0.method == "MOVE" }.map { $0.headers["destination"] } == [
                    "\(server.url())f", "/f",
                ])
            let other = try double.provider(server, servers: servers)
            _ = try await write(other, DataSource(large))
            #expect(double.files == ["/f": large])
            #expect(
                server.requests.filter { $0.method == "MOVE" }.map { $0.headers["destination"] }.dropFirst(2) == ["/f"])
            #expect(try await other.quirks().refusesMoves == false)
        }
    }

    @Test(arguments: [true, false], [0, 2])
    func `a move whose connection ends without an answer is sent again while the part is there`(
        _ isDone: Bool, _ retries: Int
    ) async throws {
        let double = ManneredDouble(.honest, files: ["/f": old])
        let moves = LockedValue(0)
        let server = try FaultServer { request in
            let isFirst =
                request.method == "MOVE"
                && moves.update {
                    $0 += 1; return $0 == 1
                }
            if isFirst, !isDone { return .raw(Data()) }
            let answer = double.answer(request)
            return isFirst ? .raw(Data()) : answer
        }
        defer { server.stop() }
        let provider = try double.provider(server, retries: retries)
        for (name, overwrite) in [("f", true), ("g", false)] {
            moves.update { $0 = 0 }
            _ = try await write(provider, DataSource(new), name, overwrite: overwrite)
            #expect(moves.value == (isDone ? 1 : 2))
        }
        #expect(double.files == ["/f": new, "/g": new])
    }

    // MARK: PUT

    @Test func `an upload of unknown length that is refused for that goes again with its length`() async throws {
        let double = ManneredDouble(.wantsLength, files: ["/f": old])
        try await double.serve { provider, server in
            _ = try await write(provider, oneShot(large))
            #expect(double.files == ["/f": large])
            // The next one goes with its length at once.
            _ = try await write(provider, oneShot(new))
            #expect(double.files == ["/f": new])
            let puts = server.requests.filter { $0.method == "PUT" }
            #expect(puts.map { $0.headers["content-length"] } == [nil, "\(large.count)", "\(new.count)"])
        }
    }

    @Test func `an upload of unknown length is sent as it comes where that is taken`() async throws {
        let double = ManneredDouble(.honest)
        try await double.serve { provider, server in
            for name in ["a", "b"] { _ = try await write(provider, oneShot(large), name) }
            #expect(double.files == ["/a": large, "/b": large])
            #expect(
                server.requests.filter { $0.method == "PUT" }.allSatisfy {
                    $0.headers["transfer-encoding"] == "chunked"
                })
        }
    }

    @Test(arguments: [ManneredDouble.Manner.puts(504), .puts(502), .puts(408), .putsAndCloses, .putsSilently])
    func `an upload that is not answered is there if a look shows all of it`(_ manner: ManneredDouble.Manner)
        async throws
    {
        // Silence takes ten idle times; other answers come at once, however busy this machine is.
        let idle = manner == .putsSilently ? 0.4 : 20
        let vendors: [WebDAVQuirks.Vendor] = manner == .putsSilently ? [.other] : [.other, .apache]
        for (data, vendor) in vendors.flatMap({ [(new, $0), (large, $0)] }) {
            let double = ManneredDouble(manner, files: ["/f": old])
            try await double.serve(vendor, retries: 0, idle: idle) { provider, server in
                _ = try await write(provider, DataSource(data))
                _ = try await write(provider, DataSource(data), "g", overwrite: false)
                #expect(double.files == ["/f": data, "/g": data])
                // libcurl sends again by itself where a kept connection ends without an answer.
                let most = manner == .putsAndCloses ? 2 : 1
                #expect(server.requests.filter { $0.method == "PUT" }.count <= 2 * most)
            }
        }
    }

    @Test func `bytes that can be read once are there if they have arrived before a kept connection ended`()
        async throws
    {
        for data in [new, large] {
            let double = ManneredDouble(.putsAndCloses, files: ["/f": old])
            try await double.serve(retries: 0) { provider, _ in
                _ = try await provider.attributesOfItem(path: ProviderPath("f"))
                _ = try await write(provider, oneShot(data))
                #expect(double.files == ["/f": data])
            }
        }
    }

    @Test func `a large upload that a gateway gave up is waited for, and no longer than is set`() async throws {
        let double = ManneredDouble(.honest, files: ["/f": old])
        let looks = LockedValue(0)
        let server = try FaultServer { request in
            if request.method == "PUT" {
                _ = double.answer(request)
                return .reply(504)
            }
            let isEarly =
                request.method == "PROPFIND" && request.target != "/f"
                && looks.update {
                    $0 += 1; return $0 < 4
                }
            return isEarly ? .reply(404) : double.answer(request)
        }
        defer { server.stop() }
        _ = try await write(double.provider(server), DataSource(large))
        #expect(double.files == ["/f": large])
        #expect(server.requests.filter { $0.method == "PUT" }.count == 1)
        looks.update { $0 = -1_000_000 }
        let start = ContinuousClock.now
        let error = await #expect(throws: HTTPStatusError.self) {
            try await ChunkedUpload.$joinTime.withValue(0.3) {
                _ = try await write(double.provider(server), DataSource(large), "g")
            }
        }
        #expect(error?.code.rawValue == 504 && error?.path == "/g")
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        #expect(double.files == ["/f": large])
    }

    @Test func `a new file of another that appeared while the answer was lost is not taken for ours`() async throws {
        let double = ManneredDouble(.honest)
        let server = try FaultServer { request in
            guard request.method == "PUT" else { return double.answer(request) }
            double.double.keep(Data("her".utf8), at: "/f")
            return .raw(Data())
        }
        defer { server.stop() }
        await #expect(throws: URLError.self) {
            _ = try await write(double.provider(server, .apache), DataSource(new), overwrite: false)
        }
        #expect(double.files == ["/f": Data("her".utf8)])
    }

    // MARK: Sentences

    @Test func `a limit of the server or a proxy is no lack of space`() async throws {
        let double = ManneredDouble(.limits(1000), files: ["/f": old])
        try await double.serve { provider, _ in
            let error = await #expect(throws: CocoaError.self) { _ = try await write(provider, DataSource(large)) }
            #expect(error?.code == .fileWriteUnknown)
            #expect(error?.concernsEveryItem == false)
            let sentence = error?.sentence ?? ""
            #expect(
                sentence.hasPrefix(
                    "“/f” is \(large.count) bytes long, which is more than “127.0.0.1”, or a proxy in front of it, accepts"
                ))
            #expect(sentence.contains("client_max_body_size"))
            #expect(double.files == ["/f": old])
        }
    }

    @Test(arguments: [301, 302])
    func `an upload that is sent to a login page is told so`(_ status: Int) async throws {
        let double = ManneredDouble(.redirectsUploads(status), files: ["/f": old])
        try await double.serve { provider, server in
            for source in [DataSource(new), oneShot(new)] as [any WriteSource] {
                let error = await #expect(throws: URLError.self) { _ = try await write(provider, source) }
                #expect(error?.code == .redirectToNonExistentLocation)
                let location = "\(server.url())sign in"
                #expect(
                    error?.sentence
                        == "The server redirects the upload of “/f” to “\(location)”. A login page may be in the way; nothing was changed."
                )
            }
            #expect(double.files == ["/f": old])
            #expect(!server.requests.contains { $0.target.hasPrefix("/sign") })
        }
    }
}
