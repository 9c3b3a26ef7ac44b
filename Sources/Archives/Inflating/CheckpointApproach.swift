import Foundation

/// The last compressed bytes in front of a checkpoint: as many as the window was unpacked from, and their CRC-32.
///
/// Two files can agree in all that names checkpoints, versions, sizes and checksums among them, and not be the same.
struct CheckpointApproach: Sendable, Hashable {
    /// The most bytes that are looked at: 32 KiB, which become no less than a window.
    static let maxLength = CheckpointWindow.length

    var length = 0
    var checksum: UInt32 = 0

    /// Whether `bytes` are those.
    func matches(_ bytes: Data) -> Bool {
        var sum = CRC32()
        bytes.withUnsafeBytes { sum.update($0) }
        return bytes.count == length && sum.value == checksum
    }
}

/// The last bytes of what went by in pieces.
struct RecentBytes: Sendable {
    private var bytes = Data()

    /// Those in front of the end of `piece`, which follows what was added before.
    func approach(to piece: UnsafeRawBufferPointer) -> CheckpointApproach {
        let new = piece.suffix(CheckpointApproach.maxLength)
        let previous = bytes.suffix(CheckpointApproach.maxLength - new.count)
        var sum = CRC32()
        previous.withUnsafeBytes { sum.update($0) }
        sum.update(UnsafeRawBufferPointer(rebasing: new))
        return CheckpointApproach(length: previous.count + new.count, checksum: sum.value)
    }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        let new = piece.suffix(CheckpointApproach.maxLength)
        bytes = Data(bytes.suffix(CheckpointApproach.maxLength - new.count)) + new
    }
}
