import FileProviderCore
import Foundation
import Publication

/// Deflated bytes of an archive as a gzip file with one member (RFC 1952, section 2.3). Nothing is unpacked.
struct GzipMember: Sendable {
    /// No flags, no time, an unknown system.
    private static let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    private static let trailerLength = 8

    private let form: CompressedForm

    /// Nil for lengths that have no room in its trailer.
    init?(_ form: CompressedForm) {
        guard form.uncompressedLength <= Int64(UInt32.max), form.length <= Int64(UInt32.max) else { return nil }
        self.form = form
    }

    var length: Int64 { form.length + Int64(Self.header.count + Self.trailerLength) }

    /// Returns all of it, for a short one.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` if the storage sends more than ``length``; errors of the storage.
    func data() async throws -> Data {
        let sink = DataSink(limit: Int(form.length))
        try await form.stream(into: sink)
        return Self.header + sink.data + trailer
    }

    /// Sends it into `sink`, which receives one announcement.
    func stream(into sink: any ByteSink) async throws {
        try sink.begin(FileExtent(offset: 0, count: length, size: length))
        try await sink.send(Self.header)
        try await form.stream(into: TappedSink(sink, isAnnounced: true))
        try await sink.send(trailer)
    }

    /// CRC-32 and length of the unpacked bytes, the low byte first.
    private var trailer: Data {
        var data = Data()
        for number in [form.checksum, UInt32(truncatingIfNeeded: form.uncompressedLength)] {
            for shift in stride(from: UInt32(0), through: 24, by: 8) {
                data.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return data
    }
}
