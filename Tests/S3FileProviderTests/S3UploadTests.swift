import Cryptography
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import S3FileProvider
import Synchronization
import Testing

/// Uploads in parts, against a server that keeps them and fails on demand.
@Suite struct S3UploadTests {
    private static let contents = Data((0..<2500).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    @Test func `parts arrive whole, in any order, and become the file in one step`() async throws {
        let bucket = PartsServer()
        let s3 = try ScriptedS3(partSize: 1000) { bucket.answer($0) }
        defer { s3.stop() }
        let item = try await s3.provider.writeContents(path: ProviderPath("file"), contents: Self.contents)
        #expect(bucket.object == Self.contents)
        #expect(item.size == 2500)
        #expect(item.entryTag == bucket.tag)
        #expect(s3.server.requests.last { $0.method == "POST" }?.headers["if-none-match"] == "*")
        for part in s3.server.requests where part.target.contains("partNumber") {
            #expect(part.headers["content-md5"] == Digest(.md5, of: part.body).base64)
            #expect(part.headers["x-amz-content-sha256"] == Digest(.sha256, of: part.body).hexadecimal)
        }
    }

    @Test(arguments: [
        ("book.EPUB", String?.none, "application/epub+zip"), ("a.b/book.pdf", nil, "application/pdf"),
        ("book.epub", "text/x-own", "text/x-own"), ("book", nil, nil), (".epub", nil, nil),
        ("book.unheard-of", nil, nil),
    ])
    func `a file has the media type that was given, else that of its extension`(
        name: String, given: String?, expected: String?
    ) async throws {
        // In one request, and in parts.
        for length in [10, 2500] {
            let bucket = PartsServer()
            let s3 = try ScriptedS3(partSize: 1000) { bucket.answer($0) }
            defer { s3.stop() }
            _ = try await s3.provider.writeContents(
                path: ProviderPath(name), from: DataSource(Self.contents.prefix(length)),
                options: WriteOptions(overwrite: true, contentType: given))
            let maker = s3.server.requests.first {
                $0.method == "PUT" && length == 10 || $0.target.hasSuffix("uploads=") && $0.method == "POST"
            }
            let unknown = length == 10 ? nil : "application/octet-stream"
            #expect(maker?.headers["content-type"] == expected ?? unknown)
        }
    }

    @Test func `a media type with a line break in it is not sent`() async throws {
        let bucket = PartsServer()
        let s3 = try ScriptedS3(partSize: 1000) { bucket.answer($0) }
        defer { s3.stop() }
        await #expect(throws: URLError.self) {
            _ = try await s3.provider.writeContents(
                path: ProviderPath("f"), from: DataSource(Data([1])),
                options: WriteOptions(overwrite: true, contentType: "text/html\r\nX: y"))
        }
        #expect(bucket.object == nil)
    }

    @Test(arguments: [0, 999, 1000])
    func `what is no longer than a part goes up in one request`(length: Int) async throws {
        for isKnown in [true, false] {
            let bucket = PartsServer()
            let s3 = try ScriptedS3(partSize: 1000) { bucket.answer($0) }
            defer { s3.stop() }
            let source = SequenceSource(
                Self.stream(Self.contents.prefix(length)), length: isKnown ? Int64(length) : nil)
            _ = try await s3.provider.writeContents(
                path: ProviderPath("file"), from: source, options: WriteOptions(overwrite: true))
            #expect(bucket.object == Self.contents.prefix(length))
            #expect(s3.lines.filter { !$0.hasPrefix("HEAD") && !$0.hasPrefix("GET") } == ["PUT /bucket/file"])
        }
    }

    @Test(arguments: [1, 2])
    func `a source of another length than it promised leaves the old file`(thousands: Int) async throws {
        for difference in [-1, 1] {
            let bucket = PartsServer()
            let s3 = try ScriptedS3(partSize: 1000) { bucket.answer($0) }
            defer { s3.stop() }
            let promised = Int64(thousands * 1000 + difference)
            let source = SequenceSource(Self.stream(Self.contents.prefix(thousands * 1000)), length: promised)
            await #expect(throws: CocoaError.self) {
                _ = try await s3.provider.writeContents(
                    path: ProviderPath("file"), from: source, options: WriteOptions(overwrite: true))
            }
            #expect(bucket.object == nil)
            #expect(bucket.parts.isEmpty)
        }
    }

    @Test func `an upload whose connection was lost goes on where it was`() async throws {
        let bucket = PartsServer()
        let s3 = try ScriptedS3(partSize: 1000) { bucket.answer($0) }
        defer { s3.stop() }
        let path = try ProviderPath("file")
        await #expect(throws: URLError.self) {
            try await s3.provider.writeContents(
                path: path, from: ScriptedSource(Self.contents.prefix(2000), length: 2500, then: .lost),
                options: WriteOptions())
        }
        #expect(bucket.parts.isEmpty == false)
        let before = s3.lines.filter { $0.contains("partNumber") }.count
        try await s3.provider.writeContents(path: path, contents: Self.contents)
        #expect(bucket.object == Self.contents)
        let sent = s3.lines.filter { $0.contains("partNumber") }.count
        #expect(sent == 3, "\(before) and \(sent - before)")
        #expect(s3.lines.filter { $0.hasSuffix("uploads=") && $0.hasPrefix("POST") }.count == 1)
    }

    @Test func `new files in a folder just made cost a request each, and nothing that is there is replaced`()
        async throws
    {
        let keys = Mutex<Set<String>>([])
        let s3 = try ScriptedS3 { request in
            let parts = request.target.dropFirst("/bucket/".count).split(
                separator: "?", omittingEmptySubsequences: false
            ).map(String.init)
            return keys.withLock { keys in
                switch request.method {
                case "HEAD": return .reply(keys.contains(parts[0]) ? 200 : 404)
                case "PUT" where request.headers["if-none-match"] == "*" && keys.contains(parts[0]):
                    return .error(412, "PreconditionFailed")
                case "PUT":
                    keys.insert(parts[0])
                    return .reply(200, headers: ["ETag": "\"\(PartsServer.md5(request.body))\""])
                case "DELETE":
                    keys.remove(parts[0])
                    return .reply(204)
                case "POST": return .xml("<DeleteResult/>")
                default:
                    let prefix = parts[1].split(separator: "&").first { $0.hasPrefix("prefix=") }?.dropFirst(7) ?? ""
                    let found = keys.filter { $0.hasPrefix(prefix.replacing("%2F", with: "/")) }.sorted()
                    let list = found.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
                    return .xml("<ListBucketResult>\(list)<IsTruncated>false</IsTruncated></ListBucketResult>")
                }
            }
        }
        defer { s3.stop() }
        func write(_ path: String) async throws {
            _ = try await s3.provider.writeContents(path: ProviderPath(path), contents: Data([1]), overwrite: false)
        }
        let folder = try ProviderPath("new")
        try await s3.provider.createFolder(path: folder)
        let made = s3.lines.count
        try await write("new/one")
        try await write("new/two")
        #expect(s3.lines.dropFirst(made) == ["PUT /bucket/new/one", "PUT /bucket/new/two"])
        await #expect { try await write("new/one") } throws: { ($0 as? CocoaError)?.code == .fileWriteFileExists }
        // A folder has no key that the server could compare.
        try await s3.provider.createFolder(path: ProviderPath("new/below"))
        await #expect { try await write("new/below") } throws: { ($0 as? CocoaError)?.code == .fileWriteFileExists }
        try await s3.provider.removeItem(path: folder, recursive: true)
        keys.withLock { $0 = [] }
        // Gone with all it held, and made again by the write.
        let gone = s3.lines.count
        try await write("new/one")
        #expect(!s3.lines.dropFirst(gone).contains { $0.hasSuffix("prefix=new%2F") })
    }

    @Test func `a write makes its path, and nobody looks for the folder`() async throws {
        let bucket = PartsServer()
        let s3 = try ScriptedS3 { bucket.answer($0) }
        defer { s3.stop() }
        #expect(try await s3.provider.capabilities().makesParentFolders)
        let path = try ProviderPath("new/prefix/f")
        try await s3.provider.writeContents(path: path, contents: Self.contents)
        #expect(bucket.object == Self.contents)
        let looks = ["prefix=new%2F", "prefix=new%2Fprefix%2F", "/new/prefix"]
        #expect(!s3.lines.contains { line in looks.contains { line.hasSuffix($0) || line.contains("\($0)&") } })
    }

    @Test func `no folder is made below a file, however far`() async throws {
        let s3 = try ScriptedS3 { request in
            switch (request.method, request.target) {
            case ("HEAD", "/bucket/file"): .reply(200, headers: ["ETag": "\"e\""], body: Data("x".utf8))
            case ("HEAD", _): .reply(404)
            case ("PUT", _): .reply(200, headers: ["ETag": "\"\(PartsServer.md5(request.body))\""])
            default: .listing([])
            }
        }
        defer { s3.stop() }
        for path in ["file/a", "file/a/b/c"] {
            await #expect(throws: CocoaError.self) { try await s3.provider.createFolder(path: ProviderPath(path)) }
        }
        #expect(!s3.lines.contains { $0.hasPrefix("PUT") })
        try await s3.provider.createFolder(path: ProviderPath("new/a/b"))
        #expect(s3.lines.last == "PUT /bucket/new/a/b/")
    }

    @Test func `an upload of other bytes is left alone`() async throws {
        let bucket = PartsServer()
        let s3 = try ScriptedS3(partSize: 1000) { bucket.answer($0) }
        defer { s3.stop() }
        let path = try ProviderPath("file")
        await #expect(throws: URLError.self) {
            try await s3.provider.writeContents(
                path: path, from: ScriptedSource(Data(repeating: 7, count: 2000), length: 2500, then: .lost),
                options: WriteOptions())
        }
        try await s3.provider.writeContents(path: path, contents: Self.contents)
        #expect(bucket.object == Self.contents)
        #expect(s3.lines.filter { $0.hasSuffix("uploads=") && $0.hasPrefix("POST") }.count == 2)
    }

    @Test func `parts are let go of when the source fails`() async throws {
        let bucket = PartsServer()
        let s3 = try ScriptedS3(partSize: 1000) { bucket.answer($0) }
        defer { s3.stop() }
        let source = ScriptedSource(
            Self.contents.prefix(2000), length: 2500, then: .failure(CocoaError(.fileReadCorruptFile)))
        await #expect(throws: CocoaError.self) {
            try await s3.provider.writeContents(path: ProviderPath("file"), from: source, options: WriteOptions())
        }
        #expect(bucket.parts.isEmpty)
        #expect(s3.lines.last == "DELETE /bucket/file?uploadId=u1")
    }

    @Test(arguments: [PartsServer.Fault.lostAnswer, .errorWith200, .unlistable])
    func `an upload gets over a fault of the server`(fault: PartsServer.Fault) async throws {
        let bucket = PartsServer(fault)
        let s3 = try ScriptedS3(retries: 2, partSize: 1000) { bucket.answer($0) }
        defer { s3.stop() }
        let item = try await s3.provider.writeContents(path: ProviderPath("file"), contents: Self.contents)
        #expect(bucket.object == Self.contents)
        #expect(item.entryTag == bucket.tag)
    }

    @Test(arguments: [false, true])
    func `what was made and not answered is not said to have been there before`(isFolder: Bool) async throws {
        let isThere = LockedValue(false)
        let s3 = try ScriptedS3(retries: 2) { request in
            guard request.method == "PUT" else { return request.method == "HEAD" ? .reply(404) : .listing([]) }
            let wasThere = isThere.update { isThere in
                defer { isThere = true }
                return isThere
            }
            return wasThere ? .error(412, "PreconditionFailed") : .raw(Data())
        }
        defer { s3.stop() }
        let path = try ProviderPath("new")
        let error = await #expect(throws: URLError.self) {
            if isFolder {
                try await s3.provider.createFolder(path: path)
            } else {
                try await s3.provider.writeContents(path: path, contents: Data("bytes".utf8))
            }
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(s3.lines.filter { $0.hasPrefix("PUT") }.count == 1)
    }

    @Test func `a write that may replace is sent again when its answer was lost`() async throws {
        let count = LockedValue(0)
        let s3 = try ScriptedS3(retries: 2) { request in
            guard request.method == "PUT" else { return request.method == "HEAD" ? .reply(404) : .listing([]) }
            let number = count.update { count in
                count += 1
                return count
            }
            return number == 1 ? .raw(Data()) : .reply(200, headers: ["ETag": "\"\(PartsServer.md5(request.body))\""])
        }
        defer { s3.stop() }
        let source = DataSource(Data("bytes".utf8))
        let item = try await s3.provider.writeContents(
            path: ProviderPath("new"), from: source, options: WriteOptions(overwrite: true))
        #expect(item.entryTag == "\"\(PartsServer.md5(Data("bytes".utf8)))\"")
    }

    /// By the server's clock, on which it is noon; by this machine's all of it is long past.
    struct Stranger: Sendable {
        var begun: String
        var lastPart: String
        var isTaken: Bool
    }

    @Test(
        arguments: [
            Stranger(begun: "11:59:00", lastPart: "11:59:30", isTaken: false),
            Stranger(begun: "09:00:00", lastPart: "11:59:30", isTaken: false),
            Stranger(begun: "09:00:00", lastPart: "11:30:00", isTaken: true),
        ])
    func `an upload that another process may be using is left alone`(stranger: Stranger) async throws {
        let bucket = PartsServer()
        let first = Digest(.md5, of: Self.contents.prefix(1000)).hexadecimal
        let s3 = try ScriptedS3(partSize: 1000) { request in
            func answer(_ text: String) -> FaultServer.Answer {
                .reply(200, headers: ["Date": "Wed, 01 Jan 2025 12:00:00 GMT"], body: Data(text.utf8))
            }
            if request.method == "GET", request.target.contains("uploadId=other") {
                return answer(
                    "<ListPartsResult><Part><PartNumber>1</PartNumber><ETag>\(first)</ETag>"
                        + "<LastModified>2025-01-01T\(stranger.lastPart).000Z</LastModified></Part></ListPartsResult>")
            }
            if request.method == "GET", request.target.contains("uploads=") {
                return answer(
                    "<ListMultipartUploadsResult><Upload><Key>file</Key><UploadId>other</UploadId>"
                        + "<Initiated>2025-01-01T\(stranger.begun).000Z</Initiated></Upload></ListMultipartUploadsResult>"
                )
            }
            return bucket.answer(request)
        }
        defer { s3.stop() }
        // The server knows nothing of the other upload's parts, so that the end of that fails.
        let item = try? await s3.provider.writeContents(path: ProviderPath("file"), contents: Self.contents)
        #expect((item == nil) == stranger.isTaken)
        #expect(s3.lines.contains { !$0.hasPrefix("GET") && $0.contains("uploadId=other") } == stranger.isTaken)
    }

    @Test(arguments: [500, 2500])
    func `of eight writers of a new file one wins`(length: Int) async throws {
        let bucket = PartsServer()
        let s3 = try ScriptedS3(partSize: 1000) { bucket.answer($0) }
        defer { s3.stop() }
        let winners = CollectedValues<UInt8>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(0)..<8 {
                group.addTask {
                    do {
                        try await s3.provider.writeContents(
                            path: ProviderPath("file"), contents: Data(repeating: number, count: length))
                        winners.append(number)
                    } catch let error where error.isFileExists {
                        // One of those who came too late.
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(winners.values.count == 1)
        #expect(bucket.object == winners.values.first.map { Data(repeating: $0, count: length) })
        #expect(bucket.parts.isEmpty)
    }

    private static func stream(_ data: Data) -> AsyncStream<Data> {
        let (stream, end) = AsyncStream<Data>.makeStream()
        for start in stride(from: 0, to: data.count, by: 700) { end.yield(data.dropFirst(start).prefix(700)) }
        end.finish()
        return stream
    }
}

/// One object, and its uploads in parts.
final class PartsServer: Sendable {
    /// What goes wrong, once.
    enum Fault: Sendable {
        case none
        case lostAnswer
        case errorWith200
        case unlistable
    }

    private struct State {
        var object: Data?
        var tag: String?
        var uploads: [String: [Int: Data]] = [:]
        /// Tokens of uploads, by the target of their files.
        var notes: [String: Data] = [:]
        var count = 0
        var fault: Fault
    }

    private let state: Mutex<State>

    init(_ fault: Fault = .none) {
        state = Mutex(State(fault: fault))
    }

    var object: Data? { state.withLock { $0.object } }
    var tag: String? { state.withLock { $0.tag } }
    var parts: [Int: Data] { state.withLock { $0.uploads.values.first ?? [:] } }
    /// Uploads that are neither finished nor let go of.
    var uploads: Int { state.withLock { $0.uploads.count } }
    /// Tokens of uploads, in files beside the target.
    var notes: [Data] { state.withLock { Array($0.notes.values) } }

    /// Puts other bytes into a part of each upload.
    func damage(part number: Int) {
        state.withLock { state in
            for upload in state.uploads.keys { state.uploads[upload]?[number] = Data("other".utf8) }
        }
    }

    /// Puts another token into each file that has one.
    func note(_ token: Data) {
        state.withLock { state in state.notes = state.notes.mapValues { _ in token } }
    }

    func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        let query = request.target.split(separator: "?").dropFirst().first.map(String.init) ?? ""
        let values = query.split(separator: "&").reduce(into: [String: String]()) { values, pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            values[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        if request.target.contains(TemporaryName.suffix) { return state.withLock { Self.note(request, &$0) } }
        return state.withLock { Self.answer(request, values, &$0) }
    }

    private static func note(_ request: FaultServer.Request, _ state: inout State) -> FaultServer.Answer {
        switch request.method {
        case "PUT":
            state.notes[request.target] = request.body
            return .reply(200, headers: ["ETag": "\"\(md5(request.body))\""])
        case "DELETE":
            state.notes[request.target] = nil
            return .reply(204)
        default: return state.notes[request.target].map { .reply(200, body: $0) } ?? .error(404, "NoSuchKey")
        }
    }

    private static func answer(_ request: FaultServer.Request, _ values: [String: String], _ state: inout State)
        -> FaultServer.Answer
    {
        let upload = values["uploadId"]
        let isEnd = request.method == "POST" ? upload != nil : request.method == "PUT" && upload == nil
        if isEnd, request.headers["if-none-match"] == "*", state.object != nil {
            return .error(412, "PreconditionFailed")
        }
        switch request.method {
        case "HEAD":
            return state.object.map { .reply(200, headers: ["ETag": state.tag ?? ""], body: $0) } ?? .reply(404)
        case "PUT":
            guard let upload, let number = values["partNumber"].flatMap({ Int($0) }) else {
                state.object = request.body
                return .reply(200, headers: ["ETag": "\"whole\""])
            }
            state.uploads[upload]?[number] = request.body
            return .reply(200, headers: ["ETag": "\"\(md5(request.body))\""])
        case "DELETE":
            if let upload { state.uploads[upload] = nil }
            return .reply(204)
        case "POST" where upload == nil:
            state.count += 1
            state.uploads["u\(state.count)"] = [:]
            return .xml(
                "<InitiateMultipartUploadResult><UploadId>u\(state.count)</UploadId></InitiateMultipartUploadResult>")
        case "POST": return finish(upload ?? "", &state)
        default: return list(values, &state)
        }
    }

    private static func finish(_ upload: String, _ state: inout State) -> FaultServer.Answer {
        if state.fault == .errorWith200 {
            state.fault = .none
            return .error(200, "InternalError")
        }
        guard let parts = state.uploads.removeValue(forKey: upload)?.sorted(by: { $0.key < $1.key }).map(\.value) else {
            return .error(404, "NoSuchUpload")
        }
        state.object = parts.reduce(Data(), +)
        state.tag = "\"\(md5(parts.reduce(Data()) { $0 + Data(Digest(.md5, of: $1).bytes) }))-\(parts.count)\""
        if state.fault == .lostAnswer {
            state.fault = .none
            return .raw(Data())
        }
        return .xml("<CompleteMultipartUploadResult><ETag>\(state.tag ?? "")</ETag></CompleteMultipartUploadResult>")
    }

    private static func list(_ values: [String: String], _ state: inout State) -> FaultServer.Answer {
        if let upload = values["uploadId"] {
            guard let kept = state.uploads[upload] else { return .error(404, "NoSuchUpload") }
            let parts = kept.map {
                "<Part><PartNumber>\($0.key)</PartNumber><ETag>&quot;\(md5($0.value))&quot;</ETag></Part>"
            }
            return .xml("<ListPartsResult><IsTruncated>false</IsTruncated>\(parts.joined())</ListPartsResult>")
        }
        guard values["uploads"] != nil else { return .listing([]) }
        if state.fault == .unlistable { return .error(403, "AccessDenied") }
        let uploads = state.uploads.keys.map { "<Upload><Key>file</Key><UploadId>\($0)</UploadId></Upload>" }
        return .xml(
            "<ListMultipartUploadsResult>\(uploads.joined())<Upload><Key>file2</Key></Upload></ListMultipartUploadsResult>"
        )
    }

    static func md5(_ data: Data) -> String { Digest(.md5, of: data).hexadecimal }
}
