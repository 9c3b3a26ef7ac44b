import Foundation

/// The last compressed bytes before a checkpoint, as many as its window was unpacked from: their number and CRC-32.
///
/// Two files can agree in all that names checkpoints, such as versions, sizes and checksums, and still differ.
struct CheckpointApproach: Sendable, Hashable {
    /// The most bytes that are compared: 32 KiB, which unpack to at least a window.
    static let maxLength = CheckpointWindow.length

    var length = 0
    var checksum: UInt32 = 0

    /// Returns whether `bytes` are these bytes.
    func matches(_ bytes: Data) -> Bool {
        var sum = CRC32()
        bytes.withUnsafeBytes { sum.update($0) }
        return bytes.count == length && sum.value == checksum
    }
}

/// The most recent bytes of data that arrives in pieces.
struct RecentBytes: Sendable {
    private var bytes = Data()

    /// Returns the approach at the end of `piece`, which follows the bytes that were added before.
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
