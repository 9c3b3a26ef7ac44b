/// A transfer that makes its packets when there is room for them, and handles the replies itself, on the threads of its
/// sessions' channels.
protocol SFTPBulk: AnyObject, Sendable {
    /// Writes one packet to the front of `room`, which has ``SFTPOutbox/maxPacketLength`` bytes.
    ///
    /// - Returns: The packet's size in bytes; 0 if there is nothing to send until ``SFTPSession/wake()``.
    func putPacket(into room: UnsafeMutableRawBufferPointer, for session: SFTPSession) -> Int

    /// Handles the reply to the packet that was sent for `part`.
    ///
    /// - Throws: An error that ends the session.
    func take(_ type: UInt8, _ decoder: inout SFTPDecoder, for part: SFTPPart, of session: SFTPSession) throws

    /// Called when the session has ended. Its unanswered packets are lost.
    func sessionEnded(with error: any Error)
}

/// The part of a transfer that one packet is about.
struct SFTPPart: Sendable {
    let offset: Int64
    let count: Int
    /// When it was made, which is when it is sent.
    let sent = ContinuousClock.now
}
