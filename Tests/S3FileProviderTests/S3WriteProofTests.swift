import Cryptography
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import S3FileProvider
import Testing

/// Answers of 200 that prove nothing, and answers that prove everything.
@Suite struct S3WriteProofTests {
    private static let contents = Data("the new bytes".utf8)
    private static let page = FaultServer.Answer.reply(
        200, headers: ["Content-Type": "text/html"], body: Data("<html><body>Please log in</body></html>".utf8))
    private static let path = "folder/file"

    private static func md5(_ data: Data) -> String { Digest(.md5, of: data).hexadecimal }
    private static func tag(_ data: Data) -> [String: String] { ["ETag": "\"\(md5(data))\""] }

    /// - Parameters:
    ///   - before: The answer to looks before the `PUT`.
    ///   - put: The answer to `PUT`.
    ///   - after: The answer to looks after it.
    private func server(
        before: FaultServer.Answer = .reply(404), put: FaultServer.Answer, after: FaultServer.Answer,
        get: FaultServer.Answer = .reply(404)
    ) throws -> ScriptedS3 {
        let isPut = LockedValue(false)
        return try ScriptedS3(retries: 0) { request in
            switch request.method {
            case "PUT":
                isPut.update { $0 = true }
                return put
            case "HEAD": return isPut.value ? after : before
            case "GET" where !request.target.contains("?"): return get
            default: return .listing([])
            }
        }
    }

    private func write(_ s3: ScriptedS3, _ data: Data = contents, overwrite: Bool = true) async throws -> FileObject {
        try await s3.provider.writeContents(
            path: ProviderPath(Self.path), from: DataSource(data), options: WriteOptions(overwrite: overwrite))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before = FaultServer.Answer.reply(404)
        var after: FaultServer.Answer
        var words: String
    }

    private static let old = FaultServer.Answer.reply(
        200, headers: ["ETag": "\"old\"", "Last-Modified": "Tue, 02 Jan 2024 03:04:05 GMT"],
        body: Data("thirteen olds".utf8))

    @Test(arguments: [
        Case(testDescription: "nothing is there", after: .reply(404), words: "the file is not there"),
        Case(testDescription: "the old file is there", before: old, after: old, words: "the old file is still there"),
        Case(
            testDescription: "less is there", after: .reply(200, headers: ["ETag": "\"e\""], body: Data("the".utf8)),
            words: "has 3 bytes instead of 13"),
        Case(testDescription: "nobody may look", after: .reply(403), words: "not in the service's own words"),
    ])
    func `a page in answer to PUT is no proof`(_ given: Case) async throws {
        let s3 = try server(before: given.before, put: Self.page, after: given.after, get: given.after)
        defer { s3.stop() }
        let error = await #expect(throws: CocoaError.self) { try await write(s3) }
        #expect(error?.code == .fileWriteUnknown)
        #expect(error?.sentence.contains(given.words) == true, "\(error?.sentence ?? "")")
        #expect(error?.sentence.contains("proxy") == true)
    }

    @Test(arguments: [true, false])
    func `an answer with a hash of the bytes takes no look`(isTag: Bool) async throws {
        let sum = Digest(.sha256, of: Self.contents).base64
        let s3 = try server(
            put: .reply(
                200, headers: isTag ? Self.tag(Self.contents) : ["ETag": "\"kms\"", "x-amz-checksum-sha256": sum]),
            after: .reply(404))
        defer { s3.stop() }
        #expect(try await write(s3).size == 13)
        #expect(s3.lines.last == "PUT /bucket/folder/file")
    }

    @Test func `a tag that is no hash is followed by one look`() async throws {
        let s3 = try server(
            put: .reply(200, headers: ["ETag": "\"kms\""]),
            after: .reply(200, headers: ["ETag": "\"kms\""], body: Self.contents))
        defer { s3.stop() }
        #expect(try await write(s3).size == 13)
        #expect(s3.lines.suffix(2) == ["PUT /bucket/folder/file", "HEAD /bucket/folder/file"])
    }

    @Test(arguments: [true, false])
    func `a tag that stays is judged by the bytes`(isNew: Bool) async throws {
        // Made of size and time, in whole seconds, as some services do.
        let s3 = try server(
            before: Self.old, put: .reply(200, headers: ["ETag": "\"old\""]), after: Self.old,
            get: .reply(200, headers: ["ETag": "\"old\""], body: isNew ? Self.contents : Data("thirteen olds".utf8)))
        defer { s3.stop() }
        if isNew {
            #expect(try await write(s3).size == 13)
        } else {
            await #expect(throws: CocoaError.self) { try await write(s3) }
        }
    }

    // MARK: Who may write and not look

    private func dropBox(put: FaultServer.Answer) throws -> ScriptedS3 {
        try ScriptedS3(retries: 0) {
            $0.method == "PUT" ? put : $0.method == "HEAD" ? .reply(403) : .error(403, "AccessDenied")
        }
    }

    @Test(arguments: [true, false])
    func `a bucket that lets nobody look takes files`(overwrite: Bool) async throws {
        let proven = try dropBox(put: .reply(200, headers: Self.tag(Self.contents)))
        defer { proven.stop() }
        #expect(try await write(proven, overwrite: overwrite).size == 13)
        #expect(proven.server.requests.last?.headers["if-none-match"] == (overwrite ? nil : "*"))
        let believed = try dropBox(put: .reply(200, headers: ["ETag": "\"kms\""]))
        defer { believed.stop() }
        #expect(try await write(believed, overwrite: overwrite).size == nil)
    }

    @Test func `without conditional writes nothing is written over what cannot be seen`() async throws {
        let server = try FaultServer { $0.method == "PUT" ? .reply(200) : .error(403, "AccessDenied") }
        defer { server.stop() }
        var configuration = S3Configuration(bucket: "bucket", endpoint: server.url())
        configuration.hasConditionalWrites = false
        let provider = try S3FileProvider(configuration: configuration)
        defer { provider.invalidate() }
        await #expect(throws: CocoaError.self) {
            try await provider.writeContents(path: ProviderPath("file"), contents: Self.contents)
        }
        #expect(!server.requests.contains { $0.method == "PUT" })
    }

    // MARK: Parts

    @Test(arguments: ["finish", "finish and the object is there", "part", "begin"])
    func `a page in answer to an upload in parts is no proof`(step: String) async throws {
        let bucket = PartsServer()
        let data = Data((0..<2500).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let s3 = try ScriptedS3(retries: 0, partSize: 1000) { request in
            switch request.method {
            case "POST" where request.target.contains("uploadId"):
                if step == "finish" { return Self.page }
                let answer = bucket.answer(request)
                return step.hasPrefix("finish") ? Self.page : answer
            case "POST" where step == "begin": return Self.page
            case "PUT" where step == "part" && request.target.contains("partNumber=2"): return Self.page
            default: return bucket.answer(request)
            }
        }
        defer { s3.stop() }
        func write() async throws -> FileObject {
            try await s3.provider.writeContents(path: ProviderPath("file"), contents: data)
        }
        if step.hasSuffix("there") {
            #expect(try await write().size == 2500)
        } else {
            let error = await #expect(throws: URLError.self) { try await write() }
            #expect(error?.sentence.contains("proxy") == true, "\(error?.sentence ?? "")")
            #expect(bucket.object == nil)
        }
    }

    @Test func `what parts became is looked at where tags prove nothing`() async throws {
        let bucket = PartsServer()
        let data = Data(repeating: 7, count: 2500)
        let isShort = LockedValue(false)
        let s3 = try ScriptedS3(retries: 0, partSize: 1000) { request in
            switch request.method {
            case "PUT" where request.target.contains("partNumber"):
                _ = bucket.answer(request)
                return .reply(200, headers: ["ETag": "\"kms\""])
            case "POST" where request.target.contains("uploadId"):
                _ = bucket.answer(request)
                return .xml(
                    "<CompleteMultipartUploadResult><ETag>&quot;kms-3&quot;</ETag></CompleteMultipartUploadResult>")
            case "HEAD" where bucket.object != nil:
                return .reply(200, headers: ["ETag": "\"kms-3\""], body: isShort.value ? data.prefix(9) : data)
            default: return bucket.answer(request)
            }
        }
        defer { s3.stop() }
        let path = try ProviderPath("file")
        #expect(try await s3.provider.writeContents(path: path, contents: data).size == 2500)
        isShort.update { $0 = true }
        let error = await #expect(throws: CocoaError.self) {
            try await s3.provider.writeContents(
                path: path, from: DataSource(data), options: WriteOptions(overwrite: true))
        }
        #expect(error?.sentence.contains("9 bytes instead of 2500") == true, "\(error?.sentence ?? "")")
    }

    // MARK: Folders, copies, removals

    @Test func `a page in answer to making a folder makes none`() async throws {
        let s3 = try server(put: Self.page, after: .reply(404))
        defer { s3.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await s3.provider.createFolder(path: ProviderPath("new"))
        }
        #expect(error?.code == .fileWriteUnknown)
    }

    @Test func `a move whose copy was answered by a page removes nothing`() async throws {
        let s3 = try ScriptedS3(retries: 0) { request in
            switch (request.method, request.target) {
            case ("HEAD", "/bucket/a"): .reply(200, headers: ["ETag": "\"e\""], body: Data("0123456789".utf8))
            case ("HEAD", _): .reply(404)
            case ("PUT", _): Self.page
            case ("DELETE", _): .reply(204)
            default: .listing([])
            }
        }
        defer { s3.stop() }
        let error = await #expect(throws: URLError.self) {
            try await s3.provider.moveItem(path: ProviderPath("a"), to: ProviderPath("b"))
        }
        #expect(error?.code == .badServerResponse)
        #expect(s3.removals.isEmpty)
    }
}
