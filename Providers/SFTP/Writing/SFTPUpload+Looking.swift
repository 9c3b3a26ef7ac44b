import FileProviderCore
import Foundation
import SFTPEngine

/// Whether what was written is there, as far as the server lets anybody look.
extension SFTPUpload {
    /// Looks at what was written and acknowledged.
    ///
    /// - Parameters:
    ///   - byName: The answer to `LSTAT` after `CLOSE`.
    ///   - byHandle: The answer to `FSTAT` before it; nil where nobody asked.
    /// - Returns: Whether its size was seen. Drop boxes show nothing; their acknowledgements are the proof then.
    /// - Throws: `CocoaError(.fileWriteUnknown)` where another number of bytes is there, or nothing that could be published.
    func isSeen(
        _ place: ProviderPath, _ byName: SFTPReply, byHandle: SFTPReply?, _ count: Int64, _ session: SFTPSession
    ) async throws -> Bool {
        switch byName {
        case .attributes(let found):
            // A temporary file is one that this account has made.
            if place != path, let owner = found.owner { host.user = owner.user }
            if let size = found.size {
                try compare(size, count)
                if count > 0 { host.showsSizes = true }
                return true
            }
        case .status(let status) where status.isMissing:
            // A service may take each file as soon as it is closed: under a temporary name, that is the wrong one.
            if place == path { return false }
            throw FileError.make(
                .fileWriteUnknown, path: path, url: provider.url(of: path),
                sentence:
                    "“\(path)” could not be published: its temporary file was gone as soon as it was closed. If the server takes files "
                    + "out of that folder as they arrive, write in place (--in-place).")
        case .status: break
        default: throw provider.unexpected(path)
        }
        if case .attributes(let found)? = byHandle, let size = found.size {
            try compare(size, count)
            return true
        }
        return try await isRead(place, count, session)
    }

    private func compare(_ size: UInt64, _ count: Int64) throws {
        if Int64(exactly: size) == count { return }
        throw FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "The server has \(size) bytes of “\(path)” after it was sent \(count)"
                + (options.placement == .inPlace ? "." : "; nothing was replaced."))
    }

    /// Whether the last byte is there and nothing behind it, by reading; false where nothing can be read either.
    private func isRead(_ place: ProviderPath, _ count: Int64, _ session: SFTPSession) async throws -> Bool {
        if host.looks.lackReading { return false }
        guard let replies = try await connection.openNow([.open(host.bytes(of: place), .read)], session) else { return false }
        guard case .handle(let handle) = replies[0] else {
            host.lacks(\.lackReading)
            return false
        }
        let places = count > 0 ? [UInt64(count) - 1, UInt64(count)] : [0]
        let requests = [SFTPRequest.fstat(handle)] + places.map { .read(handle, at: $0, count: 1) } + [.close(handle)]
        let found = try await connection.begin(requests, session).value()
        if case .attributes(let attributes) = found[0], let size = attributes.size {
            try compare(size, count)
            return true
        }
        let ends = found[1...].dropLast().map { reply -> Bool? in
            switch reply {
            case .data(let bytes): bytes.isEmpty ? nil : true
            case .status(let status) where status.isEndOfFile: false
            default: nil
            }
        }
        // Some servers have the file open to be read and give nothing of it.
        if ends.contains(nil) { return false }
        let expected: [Bool?] = count > 0 ? [true, false] : [false]
        guard ends == expected else {
            throw FileError.make(
                .fileWriteUnknown, path: path, url: provider.url(of: path),
                sentence: "The server does not have the \(count) bytes of “\(path)” that it was sent"
                    + (options.placement == .inPlace ? "." : "; nothing was replaced."))
        }
        return true
    }
}

extension SFTPStatus {
    /// Whether it says that nothing is there.
    var isMissing: Bool { code == Code.noSuchFile || code == 10 }
}

extension Error {
    /// Whether a server has refused to tell or to do something, and the connection is all right.
    var isRefusal: Bool {
        if self is SFTPStatusError { return true }
        guard let error = self as? CocoaError else { return false }
        return error.underlying is SFTPStatusError && !error.isNoSuchFile
    }
}
