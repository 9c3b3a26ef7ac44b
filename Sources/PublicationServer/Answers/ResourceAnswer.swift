import Archives
import FileProviderCore
import Foundation
import MediaTypes
import Publication
import WebServer

/// Answers with a resource of the publication: whole, a part, or only that it has not changed.
///
/// The resource is looked up once. What an archive's directory knows costs no request; a file by itself costs one for
/// its length and version, and one for its bytes. Sound and video are read from where the range begins.
struct ResourceAnswer {
    /// Answers of up to 128 KiB are read before they are sent, so that a failure has its own status; longer ones are
    /// read as the client takes them.
    static let heldLength: Int64 = 128 << 10

    let request: ServerRequest
    /// The manifest's link, or one with nothing but an href.
    let link: Link
    let context: AnswerContext
    /// Whether the page's script is put into a chapter.
    var isFrame = false

    /// - Throws: Errors of the storage.
    func make() async throws -> ServerResponse {
        let lease = ResourceLease(context.publication.get(link))
        do {
            var answer = try await make(lease)
            if case .stream = answer.body {} else { await lease.close() }
            CrossOrigin.open(&answer, for: request, context)
            return answer
        } catch {
            await lease.close()
            throw error
        }
    }

    private func make(_ lease: ResourceLease) async throws -> ServerResponse {
        let resource = lease.resource
        let type = ServedType(link, found: resource.link)
        if isFrame, type.isHTML {
            return try await FrameAnswer(request: request, link: link, context: context, type: type).make(lease)
        }
        let gzip = try await gzipMember(of: resource, type)
        let range = isHead ? nil : ByteRangeRequest(request.header("Range"))
        let coding = gzip == nil || range != nil ? nil : ContentCoding.accepted(request.header("Accept-Encoding"))
        let version = try await ResourceVersion(resource, in: context.publication)
        let tag = tag(version, coding)

        var answer = ServerResponse(status: 200, headers: policy(type))
        answer.set("Cache-Control", "private, no-cache")
        if let tag { answer.set("ETag", tag.value) }
        if gzip != nil { answer.set("Vary", "Accept-Encoding") }
        if type.isFont { CrossOrigin.openFont(&answer, for: request) }
        let usesRange: Bool
        switch Preconditions(request).evaluate(tag.map { [$0] } ?? []) {
        case .failed: return RefusalAnswer.failedCondition
        case .notModified:
            answer.status = 304
            return answer
        case .proceed(let may): usesRange = may
        }
        answer.set("Content-Type", type.field)
        answer.set("Accept-Ranges", "bytes")
        if let coding, let gzip {
            answer.set("Content-Encoding", coding.rawValue)
            try await fill(&answer, with: gzip, lease)
        } else if let range, usesRange, version.length > 0 {
            // An empty resource has no parts. It is sent whole instead of a 416, which would look like a failure.
            guard let part = range.range(in: version.length) else {
                return RefusalAnswer.unsatisfiableRange(length: version.length)
            }
            answer.status = 206
            answer.set("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(version.length)")
            try await fill(&answer, with: part, count: Int64(part.count), lease)
        } else {
            try await fill(&answer, with: nil, count: version.length, lease)
        }
        return answer
    }

    private var isHead: Bool { request.method == "HEAD" }

    private func policy(_ type: ServedType) -> ContentPolicy.Fields {
        type.isActive
            ? ContentPolicy.chapter(context.address)
            : ContentPolicy.resource(context.address, type: type.mediaType)
    }

    private func gzipMember(of resource: any Resource, _ type: ServedType) async throws -> GzipMember? {
        guard type.isCompressible, let form = try await (resource as? any CompressedResource)?.compressedForm() else {
            return nil
        }
        return GzipMember(form)
    }

    /// The tag of the bytes that are sent; nil if their version is not known.
    private func tag(_ version: ResourceVersion, _ coding: ContentCoding?) -> EntityTag? {
        version.validator.map {
            EntityTag(
                publication: context.served.identity, href: link.href, validator: $0, form: coding?.rawValue ?? "")
        }
    }

    // MARK: Bodies

    private func fill(_ answer: inout ServerResponse, with gzip: GzipMember, _ lease: ResourceLease) async throws {
        if isHead {
            answer.contentLength = gzip.length
        } else if gzip.length <= Self.heldLength {
            answer.body = .data(try await gzip.data())
        } else {
            answer.body = .stream(
                count: gzip.length, send: { sink in try await lease.closing { _ in try await gzip.stream(into: sink) } }
            )
        }
    }

    /// - Parameter range: Nil for everything, which lets an archive compare the checksum.
    private func fill(
        _ answer: inout ServerResponse, with range: Range<Int64>?, count: Int64, _ lease: ResourceLease
    ) async throws {
        if isHead {
            answer.contentLength = count
        } else if count <= Self.heldLength {
            let sink = DataSink(limit: Int(count))
            try await lease.resource.stream(range, into: sink)
            answer.body = .data(sink.data)
        } else {
            answer.body = .stream(
                count: count, send: { sink in try await lease.closing { try await $0.stream(range, into: sink) } })
        }
    }
}

/// The version of a resource, as far as it is known without its bytes.
struct ResourceVersion: Sendable {
    /// Bytes after all transformations.
    let length: Int64
    /// Nil unless it tells versions apart byte by byte, as a strong entity tag has to (RFC 9110, section 8.8.1).
    let validator: ResourceValidator?

    /// The version of an entry of a ZIP archive consists of that of the archive's file and the entry's checksum: a
    /// checksum alone tells nothing about what a storage without versions sends.
    ///
    /// - Throws: Errors of the storage, such as for a file that does not exist.
    /// - Complexity: As ``/Publication/Resource/validator()``. Resources without one, and decrypted ones, are asked for
    ///   their length, for which a changed document has to be made.
    init(_ resource: any Resource, in publication: Publication) async throws {
        let validator = try await resource.validator()
        if let validator, !(resource is any DecryptedResource) {
            length = validator.length
        } else {
            length = try await resource.length()
        }
        guard let validator, let tag = validator.tag, !tag.hasPrefix("W/") else {
            self.validator = nil
            return
        }
        guard let archive = publication.fetcher(of: ArchiveFetcher.self)?.archive as? ZIPArchive else {
            self.validator = validator
            return
        }
        self.validator = try await archive.fileVersion().map {
            ResourceValidator(length: validator.length, tag: "\($0) \(tag)")
        }
    }
}
