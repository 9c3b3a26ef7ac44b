/// An ordered, flow-controlled stream of bytes in both directions, such as a channel of an SSH connection (RFC 4254) or
/// a child process.
///
/// A thread of the channel's own moves the bytes and calls its ``ByteChannelUser``.
package protocol ByteChannel: AnyObject, Sendable {
    /// Begins: from now on `user`, which the channel holds until it has ended, is called. Once in a channel's life.
    func start(_ user: any ByteChannelUser)

    /// Says that there is something to send, or room for what comes, where there was none. From any thread; never calls
    /// the user itself.
    func wake()

    /// Ends the channel. The user is told `error`, where it has not begun as soon as it does; the first call counts.
    /// From any thread; never calls the user itself.
    func end(with error: any Error)
}

/// Who reads and writes a ``ByteChannel``.
///
/// All calls come on the channel's thread, one after the other. The user may take its time with a local disk, and with
/// nothing else.
package protocol ByteChannelUser: AnyObject, Sendable {
    /// Where bytes that come are to be put; empty while none are wanted, until ``ByteChannel/wake()``. Valid until the
    /// next call.
    func roomToReceive() -> UnsafeMutableRawBufferPointer

    /// So many bytes, at least one, were put at the front of ``roomToReceive()``.
    ///
    /// - Throws: What makes the stream useless; the channel ends with it.
    func received(_ count: Int) throws

    /// What is to go out next; empty where there is nothing, until ``ByteChannel/wake()``.
    ///
    /// Until ``sent(_:)`` was called, every call gives the same bytes again, perhaps with more behind them, perhaps at
    /// another address.
    ///
    /// - Throws: What makes the stream useless; the channel ends with it.
    func bytesToSend() throws -> UnsafeRawBufferPointer

    /// So many bytes, at least one, have left from the front of ``bytesToSend()``.
    func sent(_ count: Int)

    /// Whether something is owed by the other side: the channel ends with `URLError(.timedOut)` when nothing moves
    /// while this is so.
    var isWaiting: Bool { get }

    /// The last call, once: the channel is no more.
    ///
    /// - Parameter error: `URLError(.networkConnectionLost)` where the other side closed it.
    func ended(with error: any Error)
}
