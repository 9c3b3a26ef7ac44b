public import CurlTransport
import FileProviderCore
public import Foundation

/// An upload in parts that a service has begun; ``HTTPFileProvider`` cuts, sends, repeats and counts.
///
/// A part is held in memory while it is sent, so that it can be sent again: part size times ``concurrentParts`` is what
/// an upload takes.
public protocol HTTPUploadSession: Sendable {
    /// The number of parts in flight at once; 1 if the server needs them in order. Read again before each part.
    var concurrentParts: Int { get }

    /// Returns the size in bytes of part `number`, counted from 0; the last part has the rest.
    ///
    /// - Throws: `CocoaError(.fileWriteOutOfSpace)` if there can be no such part.
    func size(ofPart number: Int) throws -> Int

    /// Begins the upload. Called once, before anything is sent, with the bytes of part 0, by which an earlier try can be
    /// found and continued.
    func begin(with first: Data, over connection: HTTPConnection) async throws

    /// Returns whether the server has exactly these bytes as that part, from an earlier try. The part is then not sent.
    func has(_ data: Data, asPart number: Int) -> Bool

    /// Returns the request that sends a part; the provider adds the bytes.
    func request(forPart number: Int, offset: Int64, data: Data, isLast: Bool) throws -> HTTPRequest

    /// Called after the server accepted part `number`, in any order and on any thread.
    func sent(part number: Int, _ head: ResponseHead) throws

    /// Joins the parts to the file, in one step.
    ///
    /// - Returns: The server's answer.
    func finish(length: Int64, over connection: HTTPConnection) async throws -> ResponseHead

    /// Whether ``finish(length:over:)`` has seen that the whole file is there; false by default, and the service is
    /// asked (``HTTPService/confirmed(_:answer:attributes:over:)``).
    var looksAfterwards: Bool { get }

    /// Removes the parts from the server after a failed upload, also after a failed ``begin(with:over:)``.
    ///
    /// Not called if the connection was lost or the server was busy, so that the next try finds the parts, nor for a
    /// cancelled upload whose token is kept (``HTTPResumableSession``). A part that is under way when the upload fails
    /// may reach the server after this call.
    func abort(over connection: HTTPConnection) async
}

extension HTTPUploadSession {
    /// Does nothing.
    public func begin(with first: Data, over connection: HTTPConnection) async throws {}

    /// False: the service verifies the file.
    public var looksAfterwards: Bool { false }

    /// False: each try sends all parts.
    public func has(_ data: Data, asPart number: Int) -> Bool { false }
}

/// Cuts a source into parts and sends them, several at once.
struct PartedUpload {
    /// The service whose answers the session reads, and the item they are about.
    let service: any HTTPService
    let path: ProviderPath
    let connection: HTTPConnection
    let session: any HTTPUploadSession
    /// Bytes, as the source promised; nil where it did not.
    let promised: Int64?
    /// The note that keeps the token of the upload; nil for an upload that no later write continues.
    let note: UploadNote?

    /// - Returns: The answer to the end of it, and how many bytes there were.
    /// - Throws: `CocoaError(.fileWriteUnknown)` when the source gave another number of bytes than it had promised;
    ///   nothing is kept.
    func run(_ parts: SourceParts) async throws -> (ResponseHead, Int64) {
        do {
            let length = try await sendAll(parts)
            try Self.compare(length, promised: promised)
            try Task.checkCancellation()
            // From here on the file exists or not, cancelled or not: the end runs in a separate task.
            let head = try await withCancellationShield {
                let head = try await reading { try await session.finish(length: length, over: connection) }
                await note?.remove()
                return head
            }
            return (head, length)
        } catch {
            if !mayGoOn(after: error) {
                await withCancellationShield {
                    await session.abort(over: connection)
                    await note?.remove()
                }
            }
            throw error
        }
    }

    /// Calls `body`, which asks for an answer of the service and reads it. The source is read outside of it: an error of
    /// the caller's stays as it is.
    private func reading<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await connection.reading(type(of: service), path: path, body)
    }

    /// Whether another try may use what was sent: the connection was lost, the server was busy, or a caller that can
    /// find it again has cancelled.
    private func mayGoOn(after error: any Error) -> Bool {
        error.isTransient || note != nil && error.isCancellation
    }

    /// Begins the upload, or continues the one whose token is kept.
    private func begin(with first: Data) async throws {
        guard let note, let session = session as? any HTTPResumableSession else {
            return try await reading { try await self.session.begin(with: first, over: connection) }
        }
        if let token = try await note.token() {
            do { if try await session.resume(token, over: connection) { return } } catch let error
                where !error.isTransient && !error.isCancellation
            {
                // The upload is none that the server knows.
            }
        }
        try await reading { try await session.begin(with: first, over: connection) }
        if let token = session.token { await note.keep(token) }
    }

    /// - Throws: `CocoaError(.fileWriteUnknown)` unless the source gave as many bytes as it promised, if it did.
    static func compare(_ length: Int64, promised: Int64?) throws {
        guard let promised, promised != length else { return }
        let gave = length > promised ? "more" : "\(length)"
        throw FileError.make(
            .fileWriteUnknown, path: "",
            sentence: "The source promised \(promised) bytes and gave \(gave); nothing was kept.")
    }

    private func sendAll(_ parts: SourceParts) async throws -> Int64 {
        // Let go of with its sending, as every other part.
        var first = try await parts.next(session.size(ofPart: 0))
        try await begin(with: first ?? Data())
        return try await withThrowingTaskGroup(of: Void.self) { group in
            do {
                return try await send(&first, and: parts, in: &group)
            } catch let error where mayGoOn(after: error) {
                // The source broke off; what is on its way may arrive, and need not be sent by the next try.
                while await group.nextResult() != nil {}
                throw error
            }
        }
    }

    private func send(
        _ first: inout Data?, and parts: SourceParts, in group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws -> Int64 {
        var part = first.take() ?? Data()
        var number = 0
        var offset: Int64 = 0
        var running = 0
        while true {
            // Which part is the last shows only when there is no more.
            let next: Result<Data?, any Error>
            do { next = .success(try await parts.next(1)) } catch { next = .failure(error) }
            let isLast = if case .success(nil) = next { true } else { false }
            group.addTask { [part, number, offset] in try await send(part, number, at: offset, isLast: isLast) }
            running += 1
            number += 1
            offset += Int64(part.count)
            guard let byte = try next.get() else { break }
            parts.putBack(byte)
            // No more parts are held than are in flight.
            part = Data()
            while running >= max(1, session.concurrentParts) {
                try await group.next()
                running -= 1
            }
            part = try await parts.next(session.size(ofPart: number)) ?? Data()
        }
        try await group.waitForAll()
        return offset
    }

    private func send(_ data: Data, _ number: Int, at offset: Int64, isLast: Bool) async throws {
        if session.has(data, asPart: number) { return }
        var request = try session.request(forPart: number, offset: offset, data: data, isLast: isLast)
        request.body = .source(DataSource(data))
        request.isWriting = true
        let head = try await connection.send(request)
        try connection.parsing(type(of: service), path: path) { try session.sent(part: number, head) }
    }
}

/// A source's bytes in pieces of a wanted size.
final class SourceParts: Sendable {
    private let source: any ByteSource
    private let rest = LockedValue(Data())

    init(_ source: any WriteSource) throws {
        self.source = try source.bytes(from: 0)
    }

    /// The next `count` bytes, fewer only at the end; nil when there are none.
    func next(_ count: Int) async throws -> Data? {
        let start = rest.update { rest in
            defer { rest = rest.count > count ? Data(rest.dropFirst(count)) : Data() }
            return rest.count > count ? Data(rest.prefix(count)) : rest
        }
        if start.count == count { return start.isEmpty ? nil : start }
        let part = try PartMemory(count)
        part.append(start)
        while try await BlockingThreads.shared.run({ [source] flag in try part.fill(from: source, flag) }) == .wait {
            try await source.waitUntilReady()
        }
        let data = part.take()
        return data.isEmpty ? nil : data
    }

    /// Gives bytes back, which come first the next time.
    func putBack(_ data: Data) { rest.update { $0 = data + $0 } }
}
