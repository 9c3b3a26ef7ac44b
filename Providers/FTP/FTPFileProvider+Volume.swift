import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider {
    /// Returns the free space from `AVBL` (draft-peterson-streamlined-ftp-command-extensions), or the quota from
    /// `SITE QUOTA` (ProFTPD's mod_quotatab); nil if the server has neither.
    ///
    /// - Complexity: One round trip; none once the server was found to have neither.
    public func storageProperties() async throws -> VolumeObject? {
        try await connection.run(.root) { session in
            if session.host.features?.has("AVBL") == true, session.host.mayKnow("AVBL") {
                let reply = try await session.send([FTPCommand("AVBL", argument: session.host.bytes(of: .root))])[
                    "AVBL"]
                if let volume = reply.flatMap({ Self.free($0) }) { return volume }
                session.host.lacks("AVBL")
            }
            guard session.host.mayKnow("SITE QUOTA") else { return nil }
            let volume = try await session.send([FTPCommand("SITE", text: "QUOTA")])["SITE"].flatMap { Self.quota($0) }
            if volume == nil { session.host.lacks("SITE QUOTA") }
            return volume
        }
    }

    /// Parses `213 1234567`, the bytes that can still be written.
    static func free(_ reply: FTPReply) -> VolumeObject? {
        guard reply.code == 213,
            let free = reply.text.split(separator: " ").lazy.compactMap({ Int64($0) }).first(where: { $0 >= 0 })
        else {
            return nil
        }
        return VolumeObject(availableCapacity: free)
    }

    /// Parses a line such as `Uploaded Mb: 12.50/100.00`: the used space, and the limit.
    static func quota(_ reply: FTPReply) -> VolumeObject? {
        guard reply.isPositive else { return nil }
        for line in reply.lines {
            let words = String(decoding: line, as: UTF8.self).split { $0.isWhitespace || $0 == ":" }
            guard words.count >= 3, words[0].lowercased() == "uploaded", let unit = units[words[1].lowercased()] else {
                continue
            }
            let numbers = words[2].split(separator: "/").compactMap { Double($0) }.map { $0 * unit }
            guard numbers.count == 2, numbers.allSatisfy({ (0..<9e18).contains($0) }) else { continue }
            return VolumeObject(
                totalCapacity: Int64(numbers[1]), availableCapacity: Int64(max(0, numbers[1] - numbers[0])),
                usage: Int64(numbers[0]))
        }
        return nil
    }

    private static let units = ["bytes": 1.0, "byte": 1, "b": 1, "kb": 1024, "mb": 1_048_576, "gb": 1_073_741_824]
}
