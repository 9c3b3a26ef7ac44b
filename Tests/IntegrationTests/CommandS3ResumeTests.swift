import FaultServer
import FileProviderCore
import Foundation
import Testing

/// `cp --resume` to S3, on a double that refuses the third part for a while.
@Suite struct CommandS3ResumeTests {
    /// Two parts of 5 MiB and a rest.
    private let data: Data = {
        var state: UInt64 = 1
        let words = (0..<(12 << 17)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
        return words.withUnsafeBytes { Data($0) }
    }()

    private func use(_ body: (CommandRunner, S3Double, [String]) async throws -> Void) async throws {
        let double = S3Double()
        let server = try FaultServer { double.answer($0) }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            runner.environment["AWS_ACCESS_KEY_ID"] = "AKID"
            runner.environment["AWS_SECRET_ACCESS_KEY"] = "hush-hush"
            runner.environment["AWS_ENDPOINT_URL"] = server.url().absoluteString
            try runner.write("book", data)
            try await body(runner, double, ["cp", "--resume", "--retries", "0", "book", "s3://bucket/book"])
        }
    }

    @Test func `an upload that stopped goes on in the next run, which sends the rest alone`() async throws {
        try await use { runner, double, copy in
            #expect(try await runner.run(copy).code != 0)
            #expect(double.partBytes == 10 << 20 && double.names.count == 1)
            double.refuses(false)
            let rest = try await runner.run(copy + ["--json"])
            #expect(rest.code == 0 && rest.object["copied"] as? Int == 1, "\(rest.error)")
            #expect(double.partBytes == data.count)
            #expect(double.object("book") == data && double.names == ["book"])
            let again = try await runner.run(copy + ["--json"])
            #expect(again.code == 0 && again.object["skipped"] as? Int == 1, "\(again.error)")
            #expect(double.partBytes == data.count)
        }
    }

    @Test func `a source that changed in between goes up from its start`() async throws {
        try await use { runner, double, copy in
            #expect(try await runner.run(copy).code != 0)
            double.refuses(false)
            var changed = data
            changed[7 << 20] ^= 1
            try runner.write("book", changed)
            #expect(try await runner.run(copy).code == 0)
            #expect(double.object("book") == changed)
            #expect(double.partBytes == 10 << 20 + changed.count)
        }
    }
}

/// A bucket with uploads in parts.
private final class S3Double: Sendable {
    private struct Part {
        let data: Data
        let tag: String
    }

    private struct State {
        var objects: [String: Data] = [:]
        var uploads: [String: [Int: Part]] = [:]
        var refuses = true
        var partBytes = 0
        var count = 0
    }

    private let state = LockedValue(State())

    /// Bytes of parts that were taken.
    var partBytes: Int { state.value.partBytes }
    var names: [String] { state.value.objects.keys.sorted() }

    func object(_ name: String) -> Data? { state.value.objects[name] }

    /// Whether third parts are refused.
    func refuses(_ refuses: Bool) { state.update { $0.refuses = refuses } }

    func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").reduce(into: [String: String]()) {
            let sides = $1.split(separator: "=", maxSplits: 1).map(String.init)
            $0[sides[0]] = sides.count > 1 ? sides[1] : ""
        }
        let key = String(parts[0].dropFirst("/bucket/".count))
        return state.update { Self.answer(request, key, query, &$0) }
    }

    private static func answer(
        _ request: FaultServer.Request, _ key: String, _ query: [String: String], _ state: inout State
    ) -> FaultServer.Answer {
        let upload = query["uploadId"]
        switch request.method {
        case "HEAD",
            "GET" where upload == nil && !key.isEmpty:
            guard let object = state.objects[key] else { return xml(404, "<Error><Code>NoSuchKey</Code></Error>") }
            // Newer than any source.
            let headers = ["ETag": "\"whole\"", "Last-Modified": "Thu, 01 Jan 2099 00:00:00 GMT"]
            return Self.part(of: object, request.headers["range"], headers)
        case "PUT":
            let tag = tag(of: request)
            guard let upload, let number = query["partNumber"].flatMap({ Int($0) }) else {
                state.objects[key] = request.body
                return .reply(200, headers: ["ETag": tag])
            }
            if number == 3, state.refuses { return xml(503, "<Error><Code>SlowDown</Code></Error>") }
            state.uploads[upload]?[number] = Part(data: request.body, tag: tag)
            state.partBytes += request.body.count
            return .reply(200, headers: ["ETag": tag])
        case "DELETE":
            if let upload { state.uploads[upload] = nil } else { state.objects[key] = nil }
            return .reply(204)
        case "POST":
            guard let upload else {
                state.count += 1
                state.uploads["u\(state.count)"] = [:]
                return xml(
                    200,
                    "<InitiateMultipartUploadResult><UploadId>u\(state.count)</UploadId></InitiateMultipartUploadResult>"
                )
            }
            let whole = (state.uploads.removeValue(forKey: upload) ?? [:]).sorted { $0.key < $1.key }
            state.objects[key] = whole.reduce(into: Data()) { $0 += $1.value.data }
            return xml(
                200, "<CompleteMultipartUploadResult><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>")
        default: return list(upload, query, state)
        }
    }

    /// The whole object, or the one range of it that is asked for.
    private static func part(of object: Data, _ range: String?, _ headers: [String: String]) -> FaultServer.Answer {
        let ends = range?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) } ?? []
        guard let start = ends.first, start < object.count else { return .reply(200, headers: headers, body: object) }
        let end = min(ends.count > 1 ? ends[1] : .max, object.count - 1)
        let part = ["Content-Range": "bytes \(start)-\(end)/\(object.count)"]
        return .reply(206, headers: headers.merging(part) { $1 }, body: object[start...end])
    }

    private static func list(_ upload: String?, _ query: [String: String], _ state: State) -> FaultServer.Answer {
        if let upload {
            guard let kept = state.uploads[upload] else {
                return xml(404, "<Error><Code>NoSuchUpload</Code></Error>")
            }
            let parts = kept.map { "<Part><PartNumber>\($0.key)</PartNumber><ETag>\($0.value.tag)</ETag></Part>" }
            return xml(200, "<ListPartsResult>\(parts.joined())</ListPartsResult>")
        }
        if query["uploads"] != nil { return xml(200, "<ListMultipartUploadsResult/>") }
        return xml(200, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
    }

    /// The MD5 that the request says its body has, as S3 compares it.
    private static func tag(of request: FaultServer.Request) -> String {
        let digest = Data(base64Encoded: request.headers["content-md5"] ?? "") ?? Data()
        return "\"" + digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "\""
    }

    private static func xml(_ status: Int, _ text: String) -> FaultServer.Answer {
        .reply(status, headers: ["Content-Type": "application/xml"], body: Data(text.utf8))
    }
}
