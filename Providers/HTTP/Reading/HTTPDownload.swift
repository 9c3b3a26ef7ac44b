import CurlTransport
import FileProviderCore
import Foundation
import MediaTypes

/// Downloads one part of a file, and continues where a lost connection left it.
///
/// Source: RFC 9110, section 14. The answer's own range is what counts, never what was asked for.
final class Download: Sendable {
    private struct State: Sendable {
        /// Of the first answer that had bytes.
        var head: ResponseHead?
        /// Looks at the bytes, where they are a whole file.
        var proof: (any HTTPBodyProof)?
        /// Whether what the caller has still holds.
        var isNotModified = false
        var attributes: FileReaderAttributes?
        /// The part as the first answer fixed it; `count` is −1 while the server does not say.
        var extent: FileExtent?
        var delivered: Int64 = 0
        /// The part to request instead of a suffix that the server refused.
        var substitute: FilePart?
        /// Bytes received of an answer without a length, unwanted ones included.
        var seen: Int64 = 0

        /// Whether the server sent less than it was asked for, as it may (RFC 9110, section 15.3.7).
        var isCutShort: Bool { extent.map { $0.size >= 0 && delivered < $0.count } ?? false }
    }

    /// Headers that ask the first answer to be left out where the caller has the file already, or wants another version
    /// (RFC 9110, section 13.1).
    private let conditions: [(name: String, value: String)]
    /// The conditions to compare the first answer with.
    private let options: ReadOptions
    private let proof: HTTPConnection.Proof
    private let template: HTTPRequest
    var path: ProviderPath { template.path }
    let part: FilePart
    let version: String?
    let sink: any ByteSink
    private let connection: HTTPConnection
    /// Called with the file attributes of each answer, before its bytes.
    private let note: Note
    private let state = LockedValue(State())

    typealias Note = @Sendable (FileReaderAttributes) throws -> Void

    init(
        _ template: HTTPRequest, part: FilePart, version: String?, sink: any ByteSink, connection: HTTPConnection,
        proof: @escaping HTTPConnection.Proof, conditions: [(name: String, value: String)] = [],
        options: ReadOptions = ReadOptions(), note: @escaping Note = { _ in }
    ) {
        self.conditions = conditions
        self.options = options
        self.note = note
        self.proof = proof
        self.template = template
        self.part = part
        self.version = version
        self.sink = sink
        self.connection = connection
    }

    /// The same download, with its bytes going elsewhere.
    func into(_ sink: any ByteSink, condition: (name: String, value: String)?) -> Download {
        Download(
            template, part: part, version: version, sink: sink, connection: connection, proof: proof,
            conditions: condition.map { [$0] } ?? [], note: note)
    }

    /// Runs this download with the conditions of `options`.
    ///
    /// - Throws: ``FileError/unmodified(_:version:url:)`` and ``FileError/otherVersion(_:url:)``.
    func run(if options: ReadOptions) async throws -> (FileExtent, FileReaderAttributes) {
        do {
            return try await with(options, options.headers).run()
        } catch is NotModifiedError {
            throw FileError.unmodified(path, version: options.ifNoneMatch ?? "", url: connection.url(of: path))
        } catch let error as HTTPStatusError where error.code.rawValue == 412 && options.ifMatch != nil {
            // `If-Match` compares strongly, and Apache calls the tag of a new file weak for a second: the answer to a
            // read without the header decides.
            return try await with(options, []).run()
        }
    }

    private func with(_ options: ReadOptions, _ conditions: [(name: String, value: String)]) -> Download {
        Download(
            template, part: part, version: version, sink: sink, connection: connection, proof: proof,
            conditions: conditions, options: options, note: note)
    }

    /// The head of the answer that began the download; nil before it.
    var head: ResponseHead? { state.value.head }

    /// - Throws: ``NotModifiedError`` where the condition held.
    func run() async throws -> (FileExtent, FileReaderAttributes) {
        do {
            var before: Int64
            repeat {
                before = state.value.delivered
                try await connection.options.retries.run(counters: connection.options.counters) {
                    try await self.attempt()
                }
            } while state.value.isCutShort && state.value.delivered > before
        } catch let failure as SinkFailure {
            throw failure.error
        } catch let error as URLError where error.code == .networkConnectionLost && state.value.isCutShort {
            throw cutShort(.networkConnectionLost, underlying: error)
        }
        if state.value.isNotModified { throw NotModifiedError() }
        return try result()
    }

    private func result() throws -> (FileExtent, FileReaderAttributes) {
        let state = state.value
        guard var extent = state.extent, var attributes = state.attributes else {
            throw FileError.make(.fileReadUnknown, path: path)
        }
        if extent.size < 0 {
            // The server did not say how long the file is, and its end has told.
            attributes.size = state.seen
            extent = FileExtent(offset: min(extent.offset, state.seen), count: state.delivered, size: state.seen)
        }
        guard extent.count == state.delivered else { throw cutShort(.networkConnectionLost) }
        try state.proof?.check(path)
        return (extent, attributes)
    }

    /// How much came of what was promised, and that there is no more, or the connection was lost.
    private func cutShort(_ code: URLError.Code, underlying: (any Error)? = nil) -> URLError {
        let (state, url) = (state.value, connection.url(of: path))
        let answer = ShortAnswer(arrived: state.delivered, promised: state.extent?.count ?? 0, cause: underlying)
        return FileError.make(
            code, url: url, sentence: "“\(path)” ended after \(answer.arrived) of \(answer.promised) bytes.",
            underlying: answer)
    }

    /// A server that has fewer bytes than it promised a moment ago, and says so when it is asked for the rest.
    private func missing(_ size: Int64) -> CocoaError {
        let state = state.value
        return FileError.make(
            .fileReadCorruptFile, path: path, url: connection.url(of: path),
            sentence:
                "The server promised \(state.extent?.count ?? 0) bytes of “\(path)” and sent \(state.delivered): it has \(size) in all."
        )
    }

    private func attempt() async throws {
        let wanted = remainder
        if case .range(let range) = wanted, range.isEmpty, state.value.extent != nil { return }
        var request = template
        request.headers.append(("Accept-Encoding", "identity"))
        request.accepts.insert(416)
        request.needsFile = true
        // With any method, the bytes of a file begin to arrive at once.
        request.patience = request.patience ?? 1
        // Ranges of what is compressed mean nothing; a whole file that comes so unasked is decoded.
        request.decodesContent = wanted.headerValue == nil && !template.storesContentEncoding
        if let range = wanted.headerValue { request.headers.append(("Range", range)) }
        request.receive = { [self] head in try accept(head, for: wanted) }
        if !conditions.isEmpty, state.value.extent == nil {
            request.headers += conditions
            request.accepts.insert(304)
        }
        do {
            let head = try await connection.sendOnce(request)
            if head.status == 304 { state.update { $0.isNotModified = true } }
            if head.status == 416 { try await acceptEmpty(head) }
        } catch is Enough {
            // The server sent on past what was asked for; the connection was closed on purpose.
        }
    }

    /// The part that is still missing.
    private var remainder: FilePart {
        let state = state.value
        guard let extent = state.extent else { return state.substitute ?? part }
        let start = extent.offset + state.delivered
        return extent.count < 0 ? .from(start) : .range(start..<(extent.offset + extent.count))
    }

    private func accept(_ head: ResponseHead, for wanted: FilePart) throws -> any ByteSink {
        if isEncoded(head), wanted.headerValue != nil || head.status == 206 {
            let encoding = head.joined("Content-Encoding") ?? ""
            throw bad(
                "The server sends “\(path)” compressed (\(encoding)) although it was asked not to; ranges of it mean nothing."
            )
        }
        if head["Content-Type"]?.lowercased().hasPrefix("multipart/byteranges") == true {
            throw bad("The server answered one range of “\(path)” with several.")
        }
        let answer = try head.status == 206 ? partial(head, wanted: wanted) : whole(head)
        let first = state.value.extent == nil
        try settle(head, size: answer.size)
        let aim = wanted.aim(in: answer)
        if aim.skip > HTTPConnection.maxSkip, wanted.headerValue != nil {
            throw bad(
                "The server ignores ranges: reading “\(path)” from byte \(aim.skip) on would download all that lies before."
            )
        }
        if first {
            let aimed = wanted.resolved(size: answer.size)
            let extent =
                answer.size < 0
                ? FileExtent(offset: aim.skip, count: -1, size: -1)
                : FileExtent(offset: aimed.lowerBound, count: Int64(aimed.count), size: answer.size)
            state.update { state in
                state.extent = extent
                state.head = head
                if extent.offset == 0, extent.count == extent.size, !isEncoded(head) { state.proof = proof(head) }
                state.attributes?.concurrentRanges = concurrentRanges(head, for: wanted, isProven: state.proof != nil)
            }
            if answer.size >= 0, let attributes = state.value.attributes { try note(attributes) }
            try sink.begin(extent)
        }
        state.update { $0.seen = 0 }
        // Only the end of an answer without a length tells the file's size.
        let drain = answer.size < 0 && aim.count >= 0 ? HTTPConnection.maxSkip : 0
        let target = state.value.proof.map { TappedSink(sink, tap: ProofTap(proof: $0)) as any ByteSink } ?? sink
        return Window(target, skip: aim.skip, count: aim.count, drain: drain) { [self] taken, seen in
            state.update { state in
                state.delivered += Int64(taken)
                state.seen += Int64(seen)
            }
        }
    }

    /// Several ranges at once are of one version where each answer has the same strong tag (RFC 9110, section 8.8.1).
    /// A file that is verified as a whole comes in one stream.
    private func concurrentRanges(_ head: ResponseHead, for wanted: FilePart, isProven: Bool) -> ConcurrentRanges? {
        let maxCount = min(connection.options.maxRangesAtOnce, connection.options.connectionsPerHost)
        guard maxCount > 1, !isProven, !isEncoded(head), head["ETag"]?.hasPrefix("\"") == true,
            wanted.headerValue == nil || head.status == 206, head["Accept-Ranges"]?.lowercased() != "none"
        else { return nil }
        // A server that ignores ranges would send all that lies before one.
        return ConcurrentRanges(
            maxCount: maxCount, minSize: 1 << 20, maxSize: 6 << 20, minOffset: HTTPConnection.maxSkip + 1)
    }

    private func isEncoded(_ head: ResponseHead) -> Bool { head.isEncoded && !template.storesContentEncoding }

    private func whole(_ head: ResponseHead) -> FileExtent {
        // The length of a compressed file is known only at its end.
        let size = isEncoded(head) ? -1 : head["Content-Length"].flatMap { Int64($0) } ?? -1
        return FileExtent(offset: 0, count: size, size: size)
    }

    private func partial(_ head: ResponseHead, wanted: FilePart) throws -> FileExtent {
        guard let text = head["Content-Range"], let range = ContentRange(text), let size = range.size else {
            throw bad("The server sent a part of “\(path)” without saying which (Content-Range).")
        }
        // rclone has “bytes 0--1/0” for an empty file.
        if size == 0 { return FileExtent(offset: 0, count: 0, size: 0) }
        guard let bytes = range.bytes else {
            throw bad("The server sent a part of “\(path)” without saying which (Content-Range).")
        }
        let expected = wanted.resolved(size: size)
        guard bytes.lowerBound == expected.lowerBound, bytes.upperBound <= size else {
            throw bad(
                "The server sent bytes from \(bytes.lowerBound) of “\(path)” where \(expected.lowerBound) was asked for."
            )
        }
        return FileExtent(offset: bytes.lowerBound, count: Int64(bytes.count), size: size)
    }

    /// Accepts a refusal: the requested range has no bytes of the file.
    private func acceptEmpty(_ refusal: ResponseHead) async throws {
        // Apache leaves the size out of its refusal; the first byte's range has it.
        let head = refusal["Content-Range"] == nil ? try await firstByte() : refusal
        let isEmpty = head.status == 416 && head["Content-Range"] == nil
        // The length of a refusal is that of its words.
        let length = head.status == 416 ? nil : head["Content-Length"].flatMap { Int64($0) }
        guard let size = isEmpty ? 0 : head["Content-Range"].flatMap({ ContentRange($0) })?.size ?? length else {
            throw bad("The server refused a range of “\(path)” without saying how long the file is.")
        }
        if state.value.isCutShort, state.value.extent?.size != size { throw missing(size) }
        let range = part.resolved(size: size)
        if case .suffix = part, !range.isEmpty, state.value.substitute == nil {
            // Some servers know no suffixes, or none that are longer than the file.
            state.update { $0.substitute = .range(range) }
            return try await attempt()
        }
        guard range.isEmpty else {
            throw bad(
                "The server refused bytes \(range.lowerBound)–\(range.upperBound) of “\(path)”, which has \(size).")
        }
        let tellsVersion = head["ETag"] != nil || head["Last-Modified"] != nil
        if !tellsVersion { try await checkVersion() }
        try settle(head, size: size, comparesVersion: tellsVersion)
        let extent = FileExtent(offset: range.lowerBound, count: 0, size: size)
        state.update { $0.extent = extent }
        try sink.begin(extent)
    }

    /// Looks at the version of a file of which the refusal of a range says nothing.
    private func checkVersion() async throws {
        if options.isUnconditional || state.value.attributes != nil { return }
        var look = template
        look.method = "HEAD"
        let head = try await connection.sendOnce(look)
        try options.check(head["ETag"] ?? head["Last-Modified"], of: path, url: connection.url(of: path))
    }

    /// A server that refuses the first byte, too, has none.
    private func firstByte() async throws -> ResponseHead {
        var request = template
        request.accepts.insert(416)
        request.headers += [("Range", "bytes=0-0"), ("Accept-Encoding", "identity")]
        return try await connection.sendOnce(request)
    }

    /// Sees that this answer is of the same version as those before it.
    private func settle(_ head: ResponseHead, size: Int64, comparesVersion: Bool = true) throws {
        var attributes = FileReaderAttributes(
            size: size, validator: head["ETag"].map { HTTPConnection.version($0) } ?? head["Last-Modified"],
            mimeType: head["Content-Type"],
            redirectedTo: head.redirectedTo,
            validatorDate: HTTPDate.ofVersion(entryTag: head["ETag"], lastModified: head["Last-Modified"]))
        attributes.suggestedName = head["Content-Disposition"].flatMap(ContentDisposition.fileName)
        let known = state.value.attributes
        if known == nil, comparesVersion {
            try options.check(attributes.validator, of: path, url: connection.url(of: path))
        }
        // An error answer (416) may leave the validator out; the size still has to agree.
        let isSame =
            known.map { ($0.validator == nil || $0.validator == attributes.validator) && $0.size == size } ?? true
        let isExpected = version == nil || attributes.validator == nil || version == attributes.validator
        if let known, known.size != size, state.value.isCutShort, known.validator == attributes.validator {
            throw missing(size)
        }
        guard isSame, isExpected else { throw FileError.changedWhileReading(path, url: connection.url(of: path)) }
        state.update { [attributes] in $0.attributes = attributes }
    }

    private func bad(_ sentence: String) -> URLError {
        FileError.make(.badServerResponse, url: connection.url(of: path), sentence: sentence)
    }
}

extension ReadOptions {
    /// The conditions as headers (RFC 9110, section 13.1). A version that is neither a tag nor a date is compared with
    /// the answer alone.
    fileprivate var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let version = ifMatch, let isTag = Self.isTag(version) {
            // Sent as a strong one, as a weak tag never matches here.
            headers.append((isTag ? "If-Match" : "If-Unmodified-Since", HTTPConnection.version(version)))
        }
        if let version = ifNoneMatch, let isTag = Self.isTag(version) {
            headers.append((isTag ? "If-None-Match" : "If-Modified-Since", version))
        }
        return headers
    }

    /// False for a date; nil for what is neither.
    private static func isTag(_ version: String) -> Bool? {
        if HTTPConnection.version(version).hasPrefix("\"") { return true }
        return HTTPDate.parse(version) == nil ? nil : false
    }
}
