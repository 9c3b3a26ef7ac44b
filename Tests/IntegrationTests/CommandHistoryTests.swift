import FaultServer
import Foundation
import Testing

/// `versions` and `trash`, against a double of Nextcloud.
@Suite struct CommandHistoryTests {
    @Test func `versions are listed, written out and restored`() async throws {
        let double = NextcloudHistoryDouble()
        let server = try FaultServer { double.answer($0) }
        defer { server.stop() }
        let file = "dav://127.0.0.1:\(server.port)/remote.php/dav/files/u/f"
        try await CommandRunner.use { runner in
            for text in ["one", "two!"] {
                try runner.write("f", text)
                #expect(try await runner.run("cp", "--overwrite", "f", file).code == 0)
            }
            let listed = try await runner.run("versions", "ls", "--json", file)
            let versions = try #require(
                try JSONSerialization.jsonObject(with: Data(listed.text.utf8)) as? [[String: Any]])
            let id = try #require(versions.first?["id"] as? String)
            #expect(versions.count == 1 && versions.first?["size"] as? Int == 3)
            #expect(versions.first?["current"] as? Bool == false && versions.first?["modified"] is String)
            #expect(try await runner.run("versions", "ls", file).text.hasPrefix(id + "\t"))
            #expect(try await runner.run("versions", "cat", file, id).text == "one")
            expectFailure(try await runner.run("versions", "cat", file, "1/1"), 3, "no version")
            #expect(try await runner.run("versions", "restore", file, id).code == 0)
            #expect(double.file("f") == Data("one".utf8))
            expectFailure(try await runner.run("versions", "ls", "f"), 1, "keeps no versions")
        }
    }

    @Test func `what was removed is listed and restored, or removed for good`() async throws {
        let double = NextcloudHistoryDouble()
        let server = try FaultServer { double.answer($0) }
        defer { server.stop() }
        let folder = "dav://127.0.0.1:\(server.port)/remote.php/dav/files/u"
        try await CommandRunner.use { runner in
            try runner.write("f", "text")
            #expect(try await runner.run("cp", "f", folder + "/f").code == 0)
            for isLast in [false, true] {
                #expect(try await runner.run("rm", folder + "/f").code == 0)
                let listed = try await runner.run("trash", "ls", "--json", folder)
                let items = try #require(
                    try JSONSerialization.jsonObject(with: Data(listed.text.utf8)) as? [[String: Any]])
                let id = try #require(items.first?["id"] as? String)
                #expect(items.count == 1 && items.first?["name"] as? String == "f")
                #expect(items.first?["type"] as? String == "file" && items.first?["size"] as? Int == 4)
                expectFailure(try await runner.run("trash", "restore", folder, "none"), 3, "among the items removed")
                let verb = isLast ? "rm" : "restore"
                #expect(try await runner.run("trash", verb, folder, id).code == 0)
                #expect(double.file("f") == (isLast ? nil : Data("text".utf8)))
            }
            #expect(try await runner.run("trash", "ls", folder).text.isEmpty)
            expectFailure(try await runner.run("trash", "ls", "."), 1, "no trash")
        }
    }

    @Test func `a path that was removed twice names neither, and an identifier names one`() async throws {
        let double = NextcloudHistoryDouble()
        let server = try FaultServer { double.answer($0) }
        defer { server.stop() }
        let folder = "dav://127.0.0.1:\(server.port)/remote.php/dav/files/u"
        try await CommandRunner.use { runner in
            for text in ["first", "second!"] {
                try runner.write("f", text)
                #expect(try await runner.run("cp", "f", folder + "/f").code == 0)
                #expect(try await runner.run("rm", folder + "/f").code == 0)
            }
            let listed = try await runner.run("trash", "ls", "--json", folder)
            let items = try #require(listed.json as? [[String: Any]])
            #expect(items.map { $0["size"] as? Int } == [7, 5])
            let path = try #require(items.first?["path"] as? String)
            #expect(items.allSatisfy { $0["path"] as? String == path })
            for verb in ["restore", "rm"] {
                expectFailure(
                    try await runner.run("trash", verb, folder, path), 2, "matches 2 removed items; give the")
            }
            #expect(try await runner.run("trash", "ls", "--json", folder).text == listed.text)
            let first = try #require(items.last?["id"] as? String)
            #expect(try await runner.run("trash", "rm", folder, first).code == 0)
            // One is left: its path is enough.
            #expect(try await runner.run("trash", "restore", folder, path).code == 0)
            #expect(double.file("f") == Data("second!".utf8))
        }
    }

    @Test func `a bucket with suspended versioning has no removed object called null`() async throws {
        let server = try FaultServer { SuspendedBucket.answer($0) }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            runner.environment["AWS_ACCESS_KEY_ID"] = "key"
            runner.environment["AWS_SECRET_ACCESS_KEY"] = "hush-hush"
            runner.environment["AWS_ENDPOINT_URL"] = "http://127.0.0.1:\(server.port)"
            let listed = try await runner.run("trash", "ls", "--json", "s3://bucket/d")
            let items = try #require(listed.json as? [[String: Any]])
            #expect(items.map { $0["id"] as? String } == ["null@d/f%20x"])
            #expect(items.map { $0["path"] as? String } == ["/d/f x"])
            for verb in ["restore", "rm"] {
                expectFailure(
                    try await runner.run("trash", verb, "s3://bucket/d", "null"), 3, "is not among the items removed")
            }
            #expect(!server.requests.contains { $0.method == "DELETE" })
            #expect(try await runner.run("trash", "restore", "s3://bucket/d", "/d/f x").code == 0)
            #expect(try await runner.run("trash", "rm", "s3://bucket/d", "null@d/f%20x").code == 0)
            #expect(
                server.requests.filter { $0.method == "DELETE" }.map(\.target) == [
                    "/bucket/d/f%20x?versionId=null", "/bucket/d/f%20x?versionId=v1", "/bucket/d/f%20x?versionId=null",
                ])
        }
    }
}

/// A bucket with one removed object, which stays there whatever is asked.
private enum SuspendedBucket {
    static func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        if request.method == "DELETE" { return .reply(204) }
        guard request.target.contains("versions=") else { return .reply(404) }
        let text = """
            <ListVersionsResult><IsTruncated>false</IsTruncated>\
            <DeleteMarker><Key>d/f x</Key><VersionId>null</VersionId><IsLatest>true</IsLatest>\
            <LastModified>2026-11-28T10:00:09.000Z</LastModified></DeleteMarker>\
            <Version><Key>d/f x</Key><VersionId>v1</VersionId><IsLatest>false</IsLatest>\
            <LastModified>2026-11-28T10:00:01.000Z</LastModified><Size>4</Size></Version></ListVersionsResult>
            """
        return .reply(200, headers: ["Content-Type": "application/xml"], body: Data(text.utf8))
    }
}
