import CurlTransport
public import FileProviderCore
public import Foundation
import HTTPFileProvider

extension WebDAVFileProvider: FileProviderAttributes {
    /// Sets the modification time by `PROPPATCH` of `DAV:lastmodified`, if the server is known to support that. Never
    /// sets permissions.
    ///
    /// - Throws: Also `CocoaError(.featureUnsupported)` if the server sets the time only with an upload, or not at
    ///   all.
    public func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws {
        if permissions != nil {
            throw FileError.unsupported("set permissions", by: Self.type, path: path, url: url(of: path))
        }
        guard let modificationDate else { return }
        guard try await quirks().timeSetting == .ocMtime else {
            throw FileError.unsupported(
                "set the time of an existing item", by: Self.type, path: path, url: url(of: path))
        }
        let body = Data(
            """
            <?xml version="1.0" encoding="utf-8"?><D:propertyupdate xmlns:D="DAV:"><D:set><D:prop>\
            <D:lastmodified>\(modificationDate.unixSeconds)</D:lastmodified></D:prop></D:set></D:propertyupdate>
            """.utf8)
        _ = try await change(
            HTTPRequest(
                "PROPPATCH", path: path, headers: [("Content-Type", "application/xml; charset=utf-8")],
                body: .data(body), isWriting: true))
    }

    /// The header that makes the server keep the time of an upload.
    func timeHeaders(for write: FileWrite) -> [(name: String, value: String)] {
        guard let date = write.options.modificationDate else { return [] }
        // Others may take this header, too, and say so; it does no harm.
        return write.quirks.timeSetting == .date ? [("Date", date.httpText)] : [("X-OC-Mtime", "\(date.unixSeconds)")]
    }

    /// A server that says that it has kept the time is one that can.
    func learnTimeSetting(from head: ResponseHead, write: FileWrite) {
        guard write.options.modificationDate != nil, write.quirks.timeSetting == .none,
            head["X-OC-MTime"]?.lowercased() == "accepted"
        else {
            return
        }
        known.correct { $0.timeSetting = .ocMtime }
    }
}

extension Date {
    /// Whole seconds since 1970, which is all that HTTP has; dates beyond all measure end where they can still be
    /// written.
    var unixSeconds: Int64 { Int64(min(max(timeIntervalSince1970.rounded(.down), -62_135_596_800), 253_402_300_799)) }

    /// The time as a server can keep it.
    var wholeSeconds: Date { Date(timeIntervalSince1970: Double(unixSeconds)) }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    var httpText: String {
        var seconds = time_t(unixSeconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return
            "\(days[Int(parts.tm_wday)]), \(padded(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(padded(parts.tm_year + 1900, 4)) "
            + "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec)) GMT"
    }
}
