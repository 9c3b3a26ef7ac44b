import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// One `PUT`, and what is done about one that is not answered.
extension WebDAVFileProvider {
    /// Sends the bytes to `path`. Once the last of them is on its way a cancellation waits for the server's answer: a
    /// file that appears after its removal would stay.
    ///
    /// - Parameter found: The item that was at `path` before, if that is known.
    func upload(
        _ write: FileWrite, to path: ProviderPath, headers: [(name: String, value: String)],
        replacing found: FileObject? = nil
    ) async throws -> ResponseHead {
        let upload = Task {
            let known = headers + timeHeaders(for: write) + write.contentTypeHeader
            let all = known + (try await OCChecksum.headers(for: write))
            return try await put(write, to: path, headers: all, replacing: found)
        }
        let head = try await withTaskCancellationHandler {
            try await upload.value
        } onCancel: {
            if write.source.stop() { upload.cancel() }
        }
        learnTimeSetting(from: head, write: write)
        return head
    }

    private func put(
        _ write: FileWrite, to path: ProviderPath, headers: [(name: String, value: String)],
        replacing found: FileObject?
    ) async throws -> ResponseHead {
        // Without a condition a second one does what the first did; with one it would find what the first has made.
        let isSure = !headers.contains { ["If-None-Match", "If-Match", "If"].contains($0.name) }
        let request = HTTPRequest(
            "PUT", path: path, headers: headers, body: .source(write.source), repetition: isSure ? .always : .ifNotDone,
            isWriting: true)
        let lost = LockedValue<Arrival?>(nil)
        do {
            return try await connection.options.retries.run(counters: connection.options.counters) { error in
                guard write.source.isRepeatable, lost.value != nil, Self.isWithoutAnswer(error) else {
                    return request.mayRepeat(after: error)
                }
                // A large one was waited for already.
                return !(write.isLarge && Self.mayBeBusy(error) && write.source.isSent)
                    && (isSure || lost.value == .missing)
            } _: {
                try await self.sendOnce(request, write: write, replacing: found, lost: lost)
            }
        } catch let error as HTTPStatusError where [409, 500].contains(error.code.rawValue) {
            try await refuseMissingParent(of: write.path, underlying: error)
            throw error
        } catch let error where error.isNoSuchFile {
            try await refuseMissingParent(of: write.path, underlying: error)
            throw error
        }
    }

    /// The result of a look after an upload whose answer was lost.
    private enum Arrival: Sendable {
        case whole
        case missing
        case unknown
    }

    /// Sends the upload once. If its answer is lost, a look decides whether the file has arrived.
    ///
    /// - Parameter lost: What the look after a lost answer showed; nil if no answer was lost.
    private func sendOnce(
        _ request: HTTPRequest, write: FileWrite, replacing found: FileObject?, lost: LockedValue<Arrival?>
    ) async throws -> ResponseHead {
        do { return try await connection.sendOnce(request) } catch let error
            where Self.isWithoutAnswer(error) || lost.value != nil && Self.status(of: error) == 412
            || write.cannotGoAgain(after: error)
        {
            let arrival = try await arrival(of: write, at: request.path, replacing: found, after: error)
            lost.update { $0 = arrival }
            guard arrival == .whole else { throw error }
            return ResponseHead(status: 201)
        }
    }

    /// Looks whether the bytes are all there. After the last byte of a large upload a server, or a proxy in front of
    /// it, may be busy with it for minutes: it is looked at again, for ten minutes at most.
    private func arrival(
        of write: FileWrite, at path: ProviderPath, replacing found: FileObject?, after error: any Error
    ) async throws -> Arrival {
        // A round that libcurl was about to send again has forgotten that the one before it was sent whole; a small
        // file is worth the look.
        guard write.source.isSent || !write.isLarge else { return .unknown }
        let waits = write.isLarge && Self.mayBeBusy(error)
        let deadline = ContinuousClock.now + .seconds(waits ? ChunkedUpload.joinTime : 0)
        var pause = connection.options.retries.firstPause
        while true {
            var arrival = Arrival.unknown
            do { arrival = await self.arrival(of: write, at: path, replacing: found, try await look(path)) } catch let
                look
            {
                // A look that fails for a passing reason proves nothing.
                if look.isCancellation || !look.isTransient { throw error }
            }
            guard arrival != .whole, ContinuousClock.now < deadline else { return arrival }
            try await Task.sleep(until: min(deadline, .now + .seconds(pause)))
            pause = min(pause * 2, max(connection.options.retries.longestPause, connection.options.retries.firstPause))
        }
    }

    private func arrival(of write: FileWrite, at path: ProviderPath, replacing found: FileObject?, _ look: Look) async
        -> Arrival
    {
        if case .nothing = look { return .missing }
        guard let item = look.item, let size = item.size, size == write.source.length ?? write.source.count else {
            return .unknown
        }
        // No other client knows the temporary name, and a large upload was looked at before.
        if path != write.path { return .whole }
        if write.isLarge { return found.map { $0.isSameVersion(as: item) } == true ? .unknown : .whole }
        return await holds(path, write.source.base) ? .whole : .unknown
    }

    /// Whether the small file at `path` has the bytes of `source`.
    private func holds(_ path: ProviderPath, _ source: any WriteSource) async -> Bool {
        guard source.isRepeatable, let length = source.length, length <= FileWrite.large else { return false }
        guard let there = try? await contents(path: path), there.count == Int(length) else { return false }
        return there == (try? await source.bytes(from: 0).bytes(upTo: Int(length)))
    }

    /// Whether the server, or a gateway before it, only took too long, or was cut off from it.
    private static func mayBeBusy(_ error: any Error) -> Bool {
        [408, 502, 504].contains(status(of: error)) || (error as? URLError)?.code == .timedOut
    }
}

extension FileWrite {
    /// The media type of the file under its final name (RFC 9110, section 8.3).
    fileprivate var contentTypeHeader: [(name: String, value: String)] {
        options.contentType(of: path).map { [("Content-Type", $0)] } ?? []
    }

    /// Whether all bytes were sent, and the connection ended without an answer: libcurl would send them again, and they
    /// can be read once.
    fileprivate func cannotGoAgain(after error: any Error) -> Bool {
        !source.isRepeatable && source.isSent && (error as? CocoaError)?.code == .fileWriteUnknown
            && WebDAVFileProvider.status(of: error) == nil
    }
}

extension FileObject {
    /// This file where its version is not known, as after a move: servers may give it another tag or time then.
    var withoutVersion: FileObject {
        var item = self
        (item.entryTag, item.modifiedDate) = (nil, nil)
        return item
    }

    /// Whether nothing tells this file from `other`.
    func isSameVersion(as other: FileObject) -> Bool {
        size == other.size && entryTag == other.entryTag && modifiedDate == other.modifiedDate
    }
}
