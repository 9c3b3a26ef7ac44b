/// A transfer that makes its packets when there is room for them, and takes the replies itself: on the threads of its
/// sessions' channels.
protocol SFTPBulk: AnyObject, Sendable {
    /// Puts one packet at the front of `room`, which takes ``SFTPOutbox/maxPacketLength`` bytes.
    ///
    /// - Returns: The packet's bytes; 0 when there is nothing to send now, until ``SFTPSession/wake()``.
    func putPacket(into room: UnsafeMutableRawBufferPointer, for session: SFTPSession) -> Int

    /// Takes the reply to the packet that was sent for `part`.
    ///
    /// - Throws: What makes the session useless.
    func take(_ type: UInt8, _ decoder: inout SFTPDecoder, for part: SFTPPart, of session: SFTPSession) throws

    /// The session is no more, and with it all that it had not answered yet.
    func sessionEnded(with error: any Error)
}

/// What one packet of a transfer is about.
struct SFTPPart: Sendable {
    let offset: Int64
    let count: Int
    /// When it was made, which is when it leaves.
    let sent = ContinuousClock.now
}
