/// Compares files with their copies, once the copies are in place.
///
/// The Sync module has one that compares hashes: `ChecksumVerification`.
public protocol CopyVerification: Sendable {
    /// Begins with one file. Called before its first byte.
    ///
    /// - Throws: An error that keeps the file from being copied.
    func proof(
        of path: ProviderPath, source: any FileProviderReadWrite, target: any FileProviderReadWrite
    ) async throws -> any CopyProof
}

/// Sees the bytes of one copy, and compares them with the finished file of the target.
public protocol CopyProof: CopyTap {
    /// Called once the file is at `destination`. No byte was seen if the storage made the copy by itself.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the file has other bytes; it is left as it is.
    func check(_ destination: ProviderPath) async throws
}

/// Two taps on the same bytes.
struct TapPair: CopyTap {
    let first: any CopyTap
    let second: any CopyTap

    /// Returns the one that is not nil, or a pair of both.
    static func of(_ first: (any CopyTap)?, _ second: (any CopyTap)?) -> (any CopyTap)? {
        guard let first, let second else { return first ?? second }
        return TapPair(first: first, second: second)
    }

    var maxAtOnce: Int { min(first.maxAtOnce, second.maxAtOnce) }
    var isOpen: Bool { first.isOpen && second.isOpen }

    func begin(_ extent: FileExtent) throws {
        try first.begin(extent)
        try second.begin(extent)
    }

    func restart(at offset: Int64) throws {
        try first.restart(at: offset)
        try second.restart(at: offset)
    }

    func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let flows = [try first.pass(bytes), try second.pass(bytes)]
        return flows.contains(.wait) ? .wait : .ready
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        first.whenReady { [second] in second.whenReady(resume) }
    }

    func finish() throws {
        try first.finish()
        try second.finish()
    }
}
