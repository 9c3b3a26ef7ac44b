import FaultServer
import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

@Suite struct PropertyTests {
    @Test(arguments: [
        ("1000", "24", VolumeObject(totalCapacity: 1024, availableCapacity: 1000, usage: 24)),
        // Nextcloud: no limit, not known, not computed yet.
        ("-3", "24", VolumeObject(usage: 24)), ("-2", "24", VolumeObject(usage: 24)), ("-1", "-1", nil),
        ("0", "24", VolumeObject(totalCapacity: 24, availableCapacity: 0, usage: 24)), ("x", "", nil),
        ("9223372036854775807", "1", VolumeObject(availableCapacity: .max, usage: 1)),
        ("99999999999999999999", "1", VolumeObject(usage: 1)),
    ])
    func `quota is what the server tells, without numbers that stand for something else`(
        _ available: String, _ used: String, _ expected: VolumeObject?
    ) async throws {
        let server = try FaultServer { request in
            ScriptedReply.multistatus(
                ScriptedReply.response(
                    request.target, isFolder: true,
                    properties: """
                        <D:quota-available-bytes>\(available)</D:quota-available-bytes><D:quota-used-bytes>\(used)</D:quota-used-bytes>
                        """))
        }
        defer { server.stop() }
        #expect(try await server.provider().storageProperties() == expected)
    }

    @Test func `hashes and identities are told where Nextcloud and ownCloud keep them, and asked for there alone`()
        async throws
    {
        let server = try FaultServer { request in
            let extra =
                "<oc:fileid>42</oc:fileid><oc:checksums><oc:checksum>SHA1:0Aff MD5:1b</oc:checksum></oc:checksums>"
            return ScriptedReply.multistatus(
                ScriptedReply.response(request.target, isFolder: true),
                ScriptedReply.response(request.target + "f", properties: extra))
        }
        defer { server.stop() }
        let item = try await server.provider(base: "remote.php/dav/files/ada/").contentsOfDirectory(path: .root).first
        #expect(item?[.checksums] == ["sha1": "0aff", "md5": "1b"])
        #expect(item?[.fileIdentifier] == "42")
        _ = try await server.provider().contentsOfDirectory(path: .root)
        let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.map { $0.contains("checksums") } == [true, false])
    }

    @Test func `dates are read in each form that servers write`() async throws {
        let dates = [
            "Fri, 31 Dec 2027 23:59:59 GMT", "Fri, 31 Dec 2027 23:59:59 +0000", "2027-12-31T23:59:59Z", "1830297599",
        ]
        let server = try FaultServer { request in
            let items = dates.enumerated().map { index, date in
                ScriptedReply.response(
                    "/dav/\(index)", properties: "<D:getlastmodified>\n \(date) </D:getlastmodified>")
            }
            return ScriptedReply.multistatus([ScriptedReply.response(request.target, isFolder: true)] + items)
        }
        defer { server.stop() }
        let items = try await server.provider().contentsOfDirectory(path: .root)
        #expect(
            items.map(\.modifiedDate)
                == Array(repeating: Date(timeIntervalSince1970: 1_830_297_599), count: dates.count))
    }

    @Test func `ten thousand items come in pages, while the server still writes`() async throws {
        let server = try FaultServer { request in
            let items = (0..<10_000).map { ScriptedReply.response("/dav/item%20\($0)", size: $0) }
            return ScriptedReply.multistatus([ScriptedReply.response(request.target, isFolder: true)] + items)
        }
        defer { server.stop() }
        let pages = CollectedValues<Int>()
        let names = LockedValue<Set<String>>([])
        try await server.provider().contentsOfDirectory(path: .root) { page in
            pages.append(page.count)
            names.update { $0.formUnion(page.map(\.name)) }
        }
        #expect(names.value.count == 10_000)
        #expect(pages.values.count > 4)
    }
}
