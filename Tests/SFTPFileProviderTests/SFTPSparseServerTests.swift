import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// Servers that tell less of a file than others: its bytes are read all the same.
@Suite struct SFTPSparseServerTests {
    private static let sizes = [0, 1, 51, 5_000, 65_536, 1_500_000]

    /// Reads everything, and parts, of files of all sizes.
    private func readAll(_ settings: SFTPDouble.Settings, hasValidator: Bool) async throws {
        try await withSFTPProvider(settings) { double, provider in
            for size in Self.sizes {
                double.putPattern(size, at: "/file")
                let reader = try await provider.open(path: ProviderPath("file"))
                let known = try await reader.attributes()
                #expect(known.size == Int64(size) && (known.validator != nil) == hasValidator)
                #expect((known.validatorDate != nil) == hasValidator, "a date is all there is")
                try await #expect(reader.read(.whole).data == SFTPDouble.pattern(0..<size), "\(size)")
                let end = Int64(size)
                try await #expect(
                    reader.read([end / 2..<end + 9, 0..<1]) == [
                        SFTPDouble.pattern(size / 2..<size), SFTPDouble.pattern(0..<min(1, size)),
                    ])
                await reader.close()
            }
        }
    }

    @Test func `A file is read where FSTAT is refused and STAT is not`() async throws {
        try await readAll(
            .init { $0.kind == .fstat ? [.status(.noSuchFile, "Cannot find message")] : [] }, hasValidator: true)
    }

    @Test func `A file is read where STAT is refused and FSTAT is not`() async throws {
        try await readAll(.init { $0.kind == .stat ? [.status(.permissionDenied)] : [] }, hasValidator: true)
    }

    @Test func `A file whose size nobody tells is read to its end`() async throws {
        try await readAll(
            .init { [.stat, .fstat].contains($0.kind) ? [.status(.permissionDenied)] : [] }, hasValidator: false)
        for (attributes, hasValidator) in [(12, true), (4, false), (0, false)] as [(UInt32, Bool)] {
            var settings = SFTPDouble.Settings()
            settings.attributes = attributes
            try await readAll(settings, hasValidator: hasValidator)
        }
    }

    @Test func `The end of a large file is found in few round trips`() async throws {
        var settings = SFTPDouble.Settings()
        settings.attributes = 0
        settings.latency = 0.02
        try await withSFTPProvider(settings) { double, provider in
            double.putPattern(123_456_789_012, at: "/file")
            try await provider.checkReachability()
            double.resetCounts()
            let reader = try await provider.open(path: ProviderPath("file"))
            try await #expect(reader.attributes().size == 123_456_789_012)
            #expect(double.counts.roundTrips <= 12, "\(double.counts.roundTrips)")
            await reader.close()
        }
    }

    @Test func `Without FSTAT, a file that is another one is told`() async throws {
        try await withSFTPProvider(.init { $0.kind == .fstat ? [.status(.unsupported)] : [] }) { double, provider in
            let reader = try await provider.open(path: ProviderPath("book"))
            _ = try await reader.read([0..<1])
            double.put(SFTPFaults.book, at: "/book", modified: 77)
            let error = try await SFTPFaults.mustFail { try await reader.read([0..<1]) }
            #expect(error.posixCode == .ESTALE, "\(error)")
            await reader.close()
        }
    }

    @Test func `A file that ends too soon is no success, whatever is told`() async throws {
        for size in [900_000, 3_000_000] {
            let settings = SFTPDouble.Settings { request in
                request.kind == .fstat
                    ? [.status(.unsupported)] : request.kind == .read ? [.endOfFile(at: 700_000)] : []
            }
            try await withSFTPProvider(settings) { double, provider in
                double.putPattern(size, at: "/file")
                let error = try await SFTPFaults.mustFail { try await provider.contents(path: ProviderPath("file")) }
                #expect(error.posixCode == .ESTALE, "\(error)")
            }
        }
    }
}
