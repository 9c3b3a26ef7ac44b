import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import S3FileProvider
import Testing

/// Removal, copies and moves that go wrong on the way.
@Suite struct S3ChangeTests {
    @Test func `items that are not removed are named, and the others go`() async throws {
        let s3 = try ScriptedS3 { request in
            switch request.method {
            case "HEAD": .reply(404)
            case "POST":
                .xml(
                    "<DeleteResult><Error><Key>x/b</Key><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
                        + "<Error><Key>x/c</Key><Code>AccessDenied</Code><Message>Access Denied</Message></Error></DeleteResult>"
                )
            default: .listing(["x/a", "x/b", "x/c"])
            }
        }
        defer { s3.stop() }
        let progress = ProgressReporter()
        let error = await #expect(throws: CocoaError.self) {
            try await s3.provider.removeItem(path: ProviderPath("x"), recursive: true, progress: progress)
        }
        #expect(error?.code == .fileWriteNoPermission)
        #expect(error?.sentence == "“/x/b”, and 1 more could not be removed: Access Denied")
        #expect(progress.completed == 1)
        #expect(progress.total == 3)
    }

    @Test func `keys that a busy server left are removed with the next try`() async throws {
        let s3 = try ScriptedS3 { request in
            switch request.method {
            case "HEAD": .reply(404)
            case "POST" where String(decoding: request.body, as: UTF8.self).contains("<Key>x/a</Key>"):
                .xml("<DeleteResult><Error><Key>x/b&amp;</Key><Code>InternalError</Code></Error></DeleteResult>")
            case "POST": .xml("<DeleteResult/>")
            default: .listing(["x/a", "x/b&amp;"])
            }
        }
        defer { s3.stop() }
        try await s3.provider.removeItem(path: ProviderPath("x"))
        let bodies = s3.server.requests.filter { $0.method == "POST" }.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.count == 2)
        #expect(bodies.last?.contains("<Object><Key>x/b&amp;</Key></Object></Delete>") == true)
    }

    @Test func `a folder that is not removed with what it holds loses its marker alone`() async throws {
        let s3 = try ScriptedS3 { request in
            switch request.method {
            case "HEAD": .reply(404)
            case "DELETE": .reply(204)
            default: .listing(["x/"])
            }
        }
        defer { s3.stop() }
        try await s3.provider.removeItem(path: ProviderPath("x"), recursive: false)
        #expect(s3.lines.last == "DELETE /bucket/x/")
        #expect(!s3.lines.contains { $0.hasPrefix("POST") })
    }

    @Test func `a move that fails removes nothing of the source, and takes back what it made`() async throws {
        let s3 = try ScriptedS3 { request in
            switch (request.method, request.target) {
            case ("HEAD", _): .reply(404)
            case ("PUT", "/bucket/new/c"): .error(403, "AccessDenied")
            case ("PUT", _): .xml("<CopyObjectResult><ETag>&quot;e&quot;</ETag></CopyObjectResult>")
            case ("POST", _): .xml("<DeleteResult/>")
            case ("DELETE", _): .reply(204)
            case (_, let target) where target.contains("prefix=old%2F"): .listing(["old/", "old/a", "old/b", "old/c"])
            default: .listing([])
            }
        }
        defer { s3.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await s3.provider.moveItem(path: ProviderPath("old"), to: ProviderPath("new"))
        }
        #expect(error?.code == .fileWriteNoPermission)
        let removals = s3.server.requests.filter { ["POST", "DELETE"].contains($0.method) }
        #expect(!removals.isEmpty)
        for removal in removals {
            #expect(!(removal.target + String(decoding: removal.body, as: UTF8.self)).contains("old"))
        }
    }

    @Test func `a copy that was on its way when another failed is taken back, too`() async throws {
        let isUnderWay = DispatchSemaphore(value: 0)
        let s3 = try ScriptedS3 { request in
            switch (request.method, request.target) {
            case ("HEAD", _): return .reply(404)
            case ("PUT", "/bucket/new/a"):
                isUnderWay.signal()
                return .silence
            case ("PUT", _):
                _ = isUnderWay.wait(timeout: .now() + 4)
                return .error(403, "AccessDenied")
            case ("POST", _): return .xml("<DeleteResult/>")
            case ("DELETE", _): return .reply(204)
            case (_, let target) where target.contains("prefix=old%2F"): return .listing(["old/a", "old/b"])
            default: return .listing([])
            }
        }
        defer { s3.stop() }
        await #expect(throws: CocoaError.self) {
            try await s3.provider.copyItem(path: ProviderPath("old"), to: ProviderPath("new"))
        }
        #expect(s3.removals.contains("new/a"))
    }

    // MARK: Versions

    @Test func `a file that is replaced while it moves stays where it is`() async throws {
        let tag = LockedValue("one")
        let s3 = try ScriptedS3 { request in
            switch (request.method, request.target) {
            case ("HEAD", "/bucket/a"):
                return .reply(200, headers: ["ETag": "\"\(tag.value)\""], body: Data("0123456789".utf8))
            case ("HEAD", _): return .reply(404)
            case ("PUT", _):
                tag.update { $0 = "two" }
                return .xml("<CopyObjectResult/>")
            case ("DELETE", _): return .reply(204)
            default: return .listing([])
            }
        }
        defer { s3.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await s3.provider.moveItem(path: ProviderPath("a"), to: ProviderPath("b"))
        }
        #expect(error?.sentence.contains("“/a”") == true)
        #expect(s3.server.requests.first { $0.method == "PUT" }?.headers["x-amz-copy-source-if-match"] == "\"one\"")
        #expect(s3.removals.isEmpty)
    }

    @Test func `what is replaced while its folder moves stays, and all else goes`() async throws {
        let tag = LockedValue("one")
        let s3 = try ScriptedS3 { request in
            switch (request.method, request.target) {
            case ("HEAD", _): return .reply(404)
            case ("PUT", "/bucket/new/b"):
                tag.update { $0 = "two" }
                return .xml("<CopyObjectResult/>")
            case ("PUT", _): return .xml("<CopyObjectResult/>")
            case ("POST", _): return .xml("<DeleteResult/>")
            case ("DELETE", _): return .reply(204)
            case (_, let target) where target.contains("prefix=old%2F"):
                // What came meanwhile was not copied.
                let added = tag.value == "two" ? [("old/d", "new")] : []
                return .versions([("old/a", "e"), ("old/b", tag.value), ("old/c", "e")] + added)
            default: return .listing([])
            }
        }
        defer { s3.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await s3.provider.moveItem(path: ProviderPath("old"), to: ProviderPath("new"))
        }
        #expect(error?.sentence.contains("“/old/b”") == true)
        #expect(s3.removals.contains("old/a") && s3.removals.contains("old/c"))
        #expect(!s3.removals.contains("old/b") && !s3.removals.contains("old/d") && !s3.removals.contains("new"))
    }

    @Test(arguments: [nil, Int64(4)])
    func `what was replaced after it was listed is copied as it is now, as long as it is`(copyLimit: Int64?)
        async throws
    {
        let s3 = try ScriptedS3(copyLimit: copyLimit) { request in
            switch (request.method, request.target) {
            case ("HEAD", "/bucket/old/a"): .reply(200, headers: ["ETag": "\"two\""], body: Data("0123456789AB".utf8))
            case ("HEAD", _): .reply(404)
            case ("PUT", _) where request.headers["x-amz-copy-source-if-match"] == "\"two\"":
                .xml("<CopyResult><ETag>p</ETag></CopyResult>")
            case ("PUT", _): .error(412, "PreconditionFailed")
            case ("POST", let target) where target.hasSuffix("?uploads="):
                .xml("<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>")
            case ("POST", _):
                .xml("<CompleteMultipartUploadResult><ETag>&quot;x-3&quot;</ETag></CompleteMultipartUploadResult>")
            case (_, let target) where target.contains("prefix=old%2F"): .versions([("old/a", "one")])
            default: .listing([])
            }
        }
        defer { s3.stop() }
        try await s3.provider.copyItem(path: ProviderPath("old"), to: ProviderPath("new"))
        let copies = s3.server.requests.filter { $0.method == "PUT" }.sorted { $0.target < $1.target }
        #expect(copies.last?.headers["x-amz-copy-source-if-match"] == "\"two\"")
        guard copyLimit != nil else { return }
        #expect(copies.map { $0.headers["x-amz-copy-source-range"] } == ["bytes=0-3", "bytes=4-7", "bytes=8-11"])
    }

    @Test func `an object that is replaced all the time is not said to be in the way`() async throws {
        let s3 = try ScriptedS3 { request in
            switch (request.method, request.target) {
            case ("HEAD", "/bucket/a"): .reply(200, headers: ["ETag": "\"e\""], body: Data("0123456789".utf8))
            case ("HEAD", _): .reply(404)
            case ("PUT", _): .error(412, "PreconditionFailed")
            default: .listing([])
            }
        }
        defer { s3.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await s3.provider.copyItem(path: ProviderPath("a"), to: ProviderPath("b"))
        }
        #expect(error?.code == .fileReadUnknown)
    }

    @Test func `a folder with a key that no URL can name is not moved`() async throws {
        let s3 = try ScriptedS3 { request in
            switch request.method {
            case "HEAD": .reply(404)
            case "PUT": .xml("<CopyObjectResult/>")
            case "POST": .xml("<DeleteResult/>")
            case "DELETE": .reply(204)
            default: request.target.contains("prefix=old%2F") ? .listing(["old/../secret"]) : .listing([])
            }
        }
        defer { s3.stop() }
        await #expect(throws: CocoaError.self) {
            try await s3.provider.moveItem(path: ProviderPath("old"), to: ProviderPath("new"))
        }
        #expect(!s3.lines.contains { !$0.hasPrefix("GET") && !$0.hasPrefix("HEAD") })
    }

    @Test func `an error that comes with 200 is an error`() async throws {
        let s3 = try ScriptedS3 { request in
            switch (request.method, request.target) {
            case ("HEAD", "/bucket/a"): .reply(200, headers: ["ETag": "\"e\""], body: Data("0123456789".utf8))
            case ("HEAD", _): .reply(404)
            case ("PUT", _): .error(200, "InternalError")
            default: .listing([])
            }
        }
        defer { s3.stop() }
        await #expect(throws: HTTPStatusError.self) {
            try await s3.provider.copyItem(path: ProviderPath("a"), to: ProviderPath("b"))
        }
        // It was tried again.
        #expect(s3.lines.filter { $0.hasPrefix("PUT") }.count == 2)
    }

    @Test func `a busy server is asked as often as the policy says, and no more`() async throws {
        let s3 = try ScriptedS3(retries: 2) { request in
            switch request.method {
            case "HEAD": .reply(404)
            case "POST": .error(503, "SlowDown")
            default: .listing(["x/a"])
            }
        }
        defer { s3.stop() }
        let error = await #expect(throws: HTTPStatusError.self) {
            try await s3.provider.removeItem(path: ProviderPath("x"))
        }
        #expect(error?.code.rawValue == 503)
        #expect(s3.lines.filter { $0.hasPrefix("POST") }.count == 3)
    }

    @Test func `a long object is copied in parts of one version`() async throws {
        let s3 = try ScriptedS3(copyLimit: 4) { request in
            switch (request.method, request.target) {
            case ("HEAD", "/bucket/a+%C3%BC".replacingOccurrences(of: "+", with: "%2B")):
                .reply(200, headers: ["ETag": "\"e\"", "Content-Type": "text/plain"], body: Data("0123456789".utf8))
            case ("HEAD", _): .reply(404)
            case ("POST", let target) where target.hasSuffix("?uploads="):
                .xml("<InitiateMultipartUploadResult><UploadId>u/1</UploadId></InitiateMultipartUploadResult>")
            case ("PUT", _): .xml("<CopyPartResult><ETag>&quot;p&quot;</ETag></CopyPartResult>")
            case ("POST", _):
                .xml("<CompleteMultipartUploadResult><ETag>&quot;x-3&quot;</ETag></CompleteMultipartUploadResult>")
            default: .listing([])
            }
        }
        defer { s3.stop() }
        try await s3.provider.copyItem(path: ProviderPath("a+ü"), to: ProviderPath("b"))
        let parts = s3.server.requests.filter { $0.method == "PUT" }.sorted { $0.target < $1.target }
        #expect(parts.map { $0.headers["x-amz-copy-source-range"] } == ["bytes=0-3", "bytes=4-7", "bytes=8-9"])
        #expect(parts.allSatisfy { $0.headers["x-amz-copy-source"] == "/bucket/a%2B%C3%BC" })
        #expect(parts.allSatisfy { $0.headers["x-amz-copy-source-if-match"] == "\"e\"" })
        #expect(parts.first?.target == "/bucket/b?partNumber=1&uploadId=u%2F1")
        #expect(s3.server.requests.first { $0.target.hasSuffix("uploads=") }?.headers["content-type"] == "text/plain")
    }
}
