package import Foundation

/// Shows the bytes of a source to a tap.
package struct TappedSource: WriteSource {
    private let base: any WriteSource
    private let tap: (any CopyTap)?

    package init(_ base: any WriteSource, _ tap: (any CopyTap)?) {
        self.base = base
        self.tap = tap
    }

    package var length: Int64? { base.length }
    package var isRepeatable: Bool { base.isRepeatable }

    package func bytes(from offset: Int64) throws -> any ByteSource {
        guard let tap else { return try base.bytes(from: offset) }
        try tap.restart(at: offset)
        return TappedBytes(try base.bytes(from: offset), tap: tap)
    }

    package func bytes(in range: Range<Int64>) async throws -> Data { try await base.bytes(in: range) }
}

/// Shows bytes to a tap as they are pulled.
package final class TappedBytes: ByteSource {
    private let base: any ByteSource
    private let tap: any CopyTap

    package init(_ base: any ByteSource, tap: any CopyTap) {
        self.base = base
        self.tap = tap
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
        guard tap.isOpen else { return .wait }
        let step = try base.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, tap.maxAtOnce)]))
        switch step {
        case .bytes(let count): _ = try tap.pass(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .end: try tap.finish()
        case .wait: break
        }
        return step
    }

    package func whenReady(_ resume: @escaping @Sendable () -> Void) {
        tap.whenReady { [base] in base.whenReady(resume) }
    }
}
