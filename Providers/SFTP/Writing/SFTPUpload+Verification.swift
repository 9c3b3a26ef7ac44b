import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPUpload {
    /// Verifies the size of a file whose bytes the server has acknowledged.
    ///
    /// - Parameters:
    ///   - byName: The reply to `LSTAT` after `CLOSE`.
    ///   - byHandle: The reply to `FSTAT` before `CLOSE`; `nil` if it was not sent.
    /// - Returns: Whether the server showed the size. Drop boxes show nothing; then the acknowledgements are the only
    ///   proof.
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the size differs, or if the file to publish is missing.
    func isSeen(_ byName: SFTPReply, byHandle: SFTPReply?, count: Int64, on session: SFTPSession) async throws -> Bool {
        switch byName {
        case .attributes(let found):
            // This account has created the temporary file.
            if isPublished, let owner = found.owner { host.user = owner.user }
            if let size = found.size {
                try verify(size, is: count)
                if count > 0 { host.showsSizes = true }
                return true
            }
        case .status(let status) where status.isMissing:
            // A service may collect each file as soon as it is closed. A temporary name is the wrong one for that.
            if !isPublished { return false }
            throw FileError.make(
                .fileWriteUnknown, path: path, url: provider.url(of: path),
                sentence:
                    "“\(path)” could not be published: its temporary file was gone as soon as it was closed. If the server takes files "
                    + "out of that folder as they arrive, write in place (--in-place).")
        case .status: break
        default: throw provider.unexpected(path)
        }
        if case .attributes(let found)? = byHandle, let size = found.size {
            try verify(size, is: count)
            return true
        }
        return try await isReadable(count: count, on: session)
    }

    private func verify(_ size: UInt64, is count: Int64) throws {
        if Int64(exactly: size) == count { return }
        throw FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "The server has \(size) bytes of “\(path)” after it was sent \(count)"
                + (options.placement == .inPlace ? "." : "; nothing was replaced."))
    }

    /// Reads the last byte, and verifies that none follows.
    ///
    /// - Returns: False if the server doesn't let the account read the file.
    private func isReadable(count: Int64, on session: SFTPSession) async throws -> Bool {
        if host.looks.lackReading { return false }
        guard let replies = try await connection.openNow([.open(host.bytes(of: location), .read)], session: session)
        else { return false }
        guard case .handle(let handle) = replies[0] else {
            host.lacks(\.lackReading)
            return false
        }
        let offsets = count > 0 ? [UInt64(count) - 1, UInt64(count)] : [0]
        let requests = [SFTPRequest.fstat(handle)] + offsets.map { .read(handle, at: $0, count: 1) } + [.close(handle)]
        let found = try await connection.begin(requests, session).value()
        if case .attributes(let attributes) = found[0], let size = attributes.size {
            try verify(size, is: count)
            return true
        }
        let ends = found[1...].dropLast().map { reply -> Bool? in
            switch reply {
            case .data(let bytes): bytes.isEmpty ? nil : true
            case .status(let status) where status.isEndOfFile: false
            default: nil
            }
        }
        // Some servers open the file for reading and then refuse to read it.
        if ends.contains(nil) { return false }
        let expected: [Bool?] = count > 0 ? [true, false] : [false]
        guard ends == expected else {
            throw FileError.make(
                .fileWriteUnknown, path: path, url: provider.url(of: path),
                sentence: "The server does not have all of the \(count) bytes of “\(path)”"
                    + (options.placement == .inPlace ? "." : "; nothing was replaced."))
        }
        return true
    }
}

extension SFTPStatus {
    /// Whether the file does not exist.
    var isMissing: Bool { code == Code.noSuchFile || code == 10 }
}

extension Error {
    /// Whether the server has refused a request and the connection still works.
    var isRefusal: Bool {
        if self is SFTPStatusError { return true }
        guard let error = self as? CocoaError else { return false }
        return error.underlying is SFTPStatusError && !error.isNoSuchFile
    }
}
