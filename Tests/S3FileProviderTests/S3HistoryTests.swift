import FaultServer
import FileProviderCore
import Foundation
import S3FileProvider
import Testing

/// Versions and removed objects, after S3's documentation.
@Suite struct S3HistoryTests {
    /// One entry of a listing of versions.
    private static func entry(
        _ key: String, _ id: String, isLatest: Bool = false, isMarker: Bool = false, size: Int = 1, second: Int = 0
    ) -> String {
        let name = isMarker ? "DeleteMarker" : "Version"
        let rest = isMarker ? "" : "<Size>\(size)</Size><ETag>&quot;e\(id)&quot;</ETag>"
        return """
            <\(name)><Key>\(key)</Key><VersionId>\(id)</VersionId><IsLatest>\(isLatest)</IsLatest>\
            <LastModified>2026-11-28T10:00:\(second < 10 ? "0" : "")\(second).000Z</LastModified>\(rest)</\(name)>
            """
    }

    private static func page(_ entries: [String], next: (key: String, version: String)? = nil) -> FaultServer.Answer {
        let more =
            next.map {
                "<IsTruncated>true</IsTruncated><NextKeyMarker>\($0.key)</NextKeyMarker>"
                    + "<NextVersionIdMarker>\($0.version)</NextVersionIdMarker>"
            } ?? "<IsTruncated>false</IsTruncated>"
        return .xml("<ListVersionsResult>\(more)\(entries.joined())</ListVersionsResult>")
    }

    @Test func `the versions of a file come from all pages, without marks and without other keys`() async throws {
        let s3 = try ScriptedS3 { request in
            request.target.contains("key-marker=f&version-id-marker=2")
                ? Self.page([Self.entry("f", "1", size: 10, second: 1), Self.entry("f.txt", "9", isLatest: true)])
                : Self.page(
                    [
                        Self.entry("f", "3", isLatest: true, size: 30, second: 5),
                        Self.entry("f", "m", isMarker: true, second: 3), Self.entry("f", "2", size: 20, second: 2),
                    ], next: ("f", "2"))
        }
        defer { s3.stop() }
        let versions = try await s3.provider.versions(of: ProviderPath("f"))
        #expect(versions.map(\.identifier) == ["3", "2", "1"] && versions.map(\.size) == [30, 20, 10])
        #expect(versions.map(\.isCurrent) == [true, false, false])
        #expect(versions.first?.entryTag == "\"e3\"")
        #expect(s3.lines.count == 2)
    }

    @Test func `a version is read and copied over its object`() async throws {
        let s3 = try ScriptedS3 { request in
            if request.method == "PUT" { return .xml("<CopyObjectResult><ETag>x</ETag></CopyObjectResult>") }
            return request.target.contains("versions=")
                ? Self.page([Self.entry("d/f x", "a/b+c", isLatest: true)])
                : .reply(200, headers: ["ETag": "\"e\""], body: Data("old".utf8))
        }
        defer { s3.stop() }
        let version = FileVersion(identifier: "a/b+c", path: try ProviderPath("d/f x"), size: 3)
        #expect(try await s3.provider.open(version).read(.whole).data == Data("old".utf8))
        try await s3.provider.restore(version)
        var current = version
        current.isCurrent = true
        try await s3.provider.restore(current)
        #expect(s3.lines.prefix(2) == ["GET /bucket/d/f%20x?versionId=a%2Fb%2Bc", "PUT /bucket/d/f%20x"])
        #expect(s3.lines.count { $0.hasPrefix("PUT") } == 1, "the present version needs no copy")
        #expect(
            s3.server.requests.last { $0.method == "PUT" }?.headers["x-amz-copy-source"]
                == "/bucket/d/f%20x?versionId=a%2Fb%2Bc")
    }

    @Test(arguments: [true, false])
    func `removed objects are found wherever the marks stand`(isMixed: Bool) async throws {
        let marks = [
            Self.entry("d/a", "ma", isLatest: true, isMarker: true, second: 9),
            Self.entry("d/gone/", "mg", isLatest: true, isMarker: true), Self.entry("d/z", "mz", isMarker: true),
        ]
        let s3 = try ScriptedS3 { request in
            if request.target.contains("key-marker") {
                return Self.page([
                    Self.entry("d/z", "3", isLatest: true),
                    Self.entry("elsewhere", "m", isLatest: true, isMarker: true), Self.entry("elsewhere", "1"),
                ])
            }
            let versions = [Self.entry("d/a", "1", size: 7), Self.entry("d/gone/", "1")]
            let all = isMixed ? [marks[0], versions[0], marks[1], versions[1], marks[2]] : versions + marks
            return Self.page(all, next: ("d/z", "mz"))
        }
        defer { s3.stop() }
        let items = try await s3.provider.trashItems(below: ProviderPath("d"))
        #expect(items.map(\.path) == [try ProviderPath("d/a")])
        #expect(items.first?.identifier == "ma@d/a" && items.first?.size == 7 && items.first?.removedDate != nil)
    }

    @Test func `removed parts of uploads are not listed, and what only has their ending is`() async throws {
        let path = try ProviderPath("d/a")
        let parts = [try TemporaryName.make(beside: path), try TemporaryName.make(beside: path, for: "v1")]
        let own = "d/a" + TemporaryName.suffix
        let keys = parts.map { String($0.string.dropFirst()) } + [own, "d/b"]
        let s3 = try ScriptedS3 { _ in
            Self.page(
                keys.flatMap { key in
                    [Self.entry(key, "m", isLatest: true, isMarker: true), Self.entry(key, "1")]
                })
        }
        defer { s3.stop() }
        #expect(try await s3.provider.trashItems(below: ProviderPath("d")).map(\.path.string) == ["/" + own, "/d/b"])
    }

    @Test func `restoring takes the mark away, and only while it is on top`() async throws {
        let isThere = LockedValue(false)
        let s3 = try ScriptedS3 { request in
            if request.method == "DELETE" { return .reply(204) }
            let top = isThere.value ? [Self.entry("f", "9", isLatest: true)] : []
            return Self.page(
                top + [
                    Self.entry("f", "m", isLatest: top.isEmpty, isMarker: true), Self.entry("f", "2"),
                    Self.entry("f", "1"),
                ])
        }
        defer { s3.stop() }
        let item = TrashItem(identifier: "m@f", path: try ProviderPath("f"), type: .regular)
        try await s3.provider.restore(item)
        #expect(s3.lines.filter { $0.hasPrefix("DELETE") } == ["DELETE /bucket/f?versionId=m"])
        try await s3.provider.removeFromTrash(item)
        #expect(
            s3.lines.filter { $0.hasPrefix("DELETE") }.dropFirst().map { $0.suffix(1) } == ["1", "2", "m"],
            "the mark goes last")
        isThere.update { $0 = true }
        let count = s3.lines.count { $0.hasPrefix("DELETE") }
        for attempt in [s3.provider.restore, s3.provider.removeFromTrash] as [(TrashItem) async throws -> Void] {
            let error = await #expect(throws: CocoaError.self) { try await attempt(item) }
            #expect(error?.code == .fileWriteFileExists)
        }
        var other = item
        other.identifier = "x@f"
        let error = await #expect(throws: CocoaError.self) { try await s3.provider.restore(other) }
        #expect(error?.code == .fileNoSuchFile)
        #expect(s3.lines.count { $0.hasPrefix("DELETE") } == count)
    }

    @Test func `a mark under another mark is no trash, and what lies between them stays`() async throws {
        let s3 = try ScriptedS3 { request in
            if request.method == "DELETE" { return .reply(204) }
            return Self.page([
                Self.entry("f", "m2", isLatest: true, isMarker: true), Self.entry("f", "2"),
                Self.entry("f", "m1", isMarker: true), Self.entry("f", "1"),
            ])
        }
        defer { s3.stop() }
        let item = TrashItem(identifier: "m1@f", path: try ProviderPath("f"), type: .regular)
        for attempt in [s3.provider.restore, s3.provider.removeFromTrash] as [(TrashItem) async throws -> Void] {
            let error = await #expect(throws: CocoaError.self) { try await attempt(item) }
            #expect(error?.code == .fileNoSuchFile)
        }
        #expect(!s3.lines.contains { $0.hasPrefix("DELETE") })
    }

    @Test func `where versioning is suspended, an identifier still names one removed object`() async throws {
        let keys = ["a", "b/c @%", "d"]
        let s3 = try ScriptedS3 { request in
            if request.method == "DELETE" { return .reply(204) }
            let asked = keys.filter { key in
                let encoded = PercentEncoding.encoded(key.utf8)
                return request.target.contains("prefix=&") || request.target.contains("prefix=\(encoded)&")
            }
            return Self.page(
                asked.flatMap { key in
                    [
                        Self.entry(key, "null", isLatest: true, isMarker: true, second: 9),
                        Self.entry(key, "v1", second: 1),
                    ]
                })
        }
        defer { s3.stop() }
        let items = try await s3.provider.trashItems()
        #expect(items.map(\.identifier) == ["null@a", "null@b/c%20%40%25", "null@d"])
        #expect(items.map(\.path.string) == keys.map { "/" + $0 })
        try await s3.provider.restore(items[1])
        #expect(s3.lines.filter { $0.hasPrefix("DELETE") } == ["DELETE /bucket/b/c%20%40%25?versionId=null"])
        try await s3.provider.removeFromTrash(items[2])
        #expect(
            s3.lines.filter { $0.hasPrefix("DELETE") }.dropFirst()
                == ["DELETE /bucket/d?versionId=v1", "DELETE /bucket/d?versionId=null"])
    }

    @Test(arguments: [
        "null", "", "@", "null@", "@f", "null@f@f", "null@f%2", "null@%66", "n%75ll@f", "null@f%2fg", "null@f g",
        "nüll@f",
    ])
    func `what is no identifier of a removed object is refused, and nothing is sent`(identifier: String) async throws {
        let s3 = try ScriptedS3 { _ in .reply(500) }
        defer { s3.stop() }
        let item = TrashItem(identifier: identifier, path: try ProviderPath("f"), type: .regular)
        for attempt in [s3.provider.restore, s3.provider.removeFromTrash] as [(TrashItem) async throws -> Void] {
            let error = await #expect(throws: CocoaError.self) { try await attempt(item) }
            #expect(error?.code == .fileWriteInvalidFileName)
            #expect(error?.sentence.contains("is not the identifier of a removed object") == true)
        }
        #expect(s3.lines.isEmpty)
    }

    @Test(arguments: ["null@g", "null@f/g", "null@F", "null@%0A"])
    func `the identifier of another object is refused, and nothing is sent`(identifier: String) async throws {
        let s3 = try ScriptedS3 { _ in .reply(500) }
        defer { s3.stop() }
        let item = TrashItem(identifier: identifier, path: try ProviderPath("f"), type: .regular)
        for attempt in [s3.provider.restore, s3.provider.removeFromTrash] as [(TrashItem) async throws -> Void] {
            let error = await #expect(throws: CocoaError.self) { try await attempt(item) }
            #expect(error?.code == .fileNoSuchFile)
            #expect(error?.sentence.contains("another object") == true)
        }
        #expect(s3.lines.isEmpty)
    }

    @Test func `a version that was the newest when it was listed is restored`() async throws {
        let s3 = try ScriptedS3 { request in
            request.method == "PUT"
                ? .xml("<CopyObjectResult><ETag>x</ETag></CopyObjectResult>")
                : Self.page([Self.entry("f", "4", isLatest: true), Self.entry("f", "3")])
        }
        defer { s3.stop() }
        try await s3.provider.restore(
            FileVersion(identifier: "3", path: try ProviderPath("f"), size: 1, isCurrent: true))
        #expect(s3.lines.last == "PUT /bucket/f")
    }

    @Test func `a listing that goes in a circle is found out, and so is one that does not go on`() async throws {
        for next in [("f", "1"), ("", "")] {
            let s3 = try ScriptedS3 { _ in Self.page([Self.entry("f", "1")], next: next) }
            defer { s3.stop() }
            let error = await #expect(throws: URLError.self) {
                _ = try await s3.provider.versions(of: ProviderPath("f"))
            }
            #expect(error?.code == .badServerResponse)
            #expect(s3.lines.count <= 2)
        }
    }

    @Test func `nothing and a folder have no versions`() async throws {
        for (key, code) in [("f/x", CocoaError.Code.fileReadUnknown), (nil, .fileReadNoSuchFile)] {
            let s3 = try ScriptedS3 { request in
                request.target.contains("versions=") ? Self.page([]) : .listing(key.map { [$0] } ?? [])
            }
            defer { s3.stop() }
            let error = await #expect(throws: CocoaError.self) {
                _ = try await s3.provider.versions(of: ProviderPath("f"))
            }
            #expect(error?.code == code)
        }
    }
}
