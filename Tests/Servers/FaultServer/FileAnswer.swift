public import Foundation

extension FaultServer.Request {
    /// The bytes of a file of `size` bytes that the request asks for, clamped; nil for all (RFC 9110, section 14.2).
    public func range(size: Int) -> Range<Int>? {
        guard let text = headers["range"], let match = text.wholeMatch(of: /bytes=(\d*)-(\d*)/) else { return nil }
        guard let start = Int(match.1) else { return max(0, size - (Int(match.2) ?? 0))..<size }
        return min(start, size)..<max(min(start, size), min(size, (Int(match.2) ?? size - 1) + 1))
    }
}

extension FaultServer.Answer {
    /// A file, or the part of it that `request` asks for, as RFC 9110 wants it.
    public static func file(
        _ body: Data, for request: FaultServer.Request, headers: [String: String] = ["ETag": "\"1\""]
    ) -> FaultServer.Answer {
        guard let range = request.range(size: body.count) else { return .reply(200, headers: headers, body: body) }
        var headers = headers
        guard !range.isEmpty else {
            headers["Content-Range"] = "bytes */\(body.count)"
            return .reply(416, headers: headers)
        }
        headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"
        return .reply(206, headers: headers, body: Data(body[range]))
    }
}
