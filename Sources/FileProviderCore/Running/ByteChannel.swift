/// An ordered, flow-controlled stream of bytes in both directions, such as a channel of an SSH connection (RFC 4254) or
/// a child process.
///
/// The channel has a thread that moves the bytes and calls its ``ByteChannelUser``.
package protocol ByteChannel: AnyObject, Sendable {
    /// Starts calling `user`, which the channel holds until it has ended. Call it once.
    func start(_ user: any ByteChannelUser)

    /// Signals that the user has bytes to send, or room to receive, after it had none. Call it from any thread; it
    /// never calls the user itself.
    func wake()

    /// Ends the channel and passes `error` to the user, after the start if the channel has not begun. Only the first
    /// call counts. Call it from any thread; it never calls the user itself.
    func end(with error: any Error)
}

/// The reader and writer of a ``ByteChannel``.
///
/// All calls are made on the channel's thread, one after the other. The user may block on a local disk, and on nothing
/// else.
package protocol ByteChannelUser: AnyObject, Sendable {
    /// Returns the room for received bytes; empty if none are wanted, until ``ByteChannel/wake()``. Valid until the
    /// next call.
    func roomToReceive() -> UnsafeMutableRawBufferPointer

    /// Called after `count` bytes, at least one, were put at the front of ``roomToReceive()``.
    ///
    /// - Throws: An error that makes the stream useless; the channel ends with it.
    func received(_ count: Int) throws

    /// Returns the bytes to send next; empty if there are none, until ``ByteChannel/wake()``.
    ///
    /// Until ``sent(_:)`` is called, every call has to return the same bytes, perhaps with more behind them, perhaps at
    /// another address.
    ///
    /// - Throws: An error that makes the stream useless; the channel ends with it.
    func bytesToSend() throws -> UnsafeRawBufferPointer

    /// Called after `count` bytes, at least one, were sent from the front of ``bytesToSend()``.
    func sent(_ count: Int)

    /// Whether the other side owes an answer: the channel then ends with `URLError(.timedOut)` if nothing moves.
    var isWaiting: Bool { get }

    /// Called last, once, when the channel has ended.
    ///
    /// - Parameter error: `URLError(.networkConnectionLost)` if the other side closed it.
    func ended(with error: any Error)
}
