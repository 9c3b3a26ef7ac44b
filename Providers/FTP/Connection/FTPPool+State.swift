import FileProviderCore

extension FTPPool {
    struct State {
        var idle: [FTPSession] = []
        /// Connections that are lent, idle or being opened.
        var count = 0
        /// Connections whose transfer waits for its own sink or source, which may be another transfer of this pool.
        /// They don't count; otherwise a download that feeds an upload could hold the connection that the upload waits
        /// for.
        var held: Set<ObjectIdentifier> = []
        /// The number of connections that the server accepts.
        var cap: Int
        var limitedUntil: ContinuousClock.Instant?
        /// Whether a caller is trying the first login. The others wait, so that a wrong password is not sent many
        /// times.
        var isTrying = false
        var hasLoggedIn = false
        /// The error of the last failed try, and the number of failed tries.
        var failure: (any Error)?
        var failures = 0
        var waiters: [FTPWaiter] = []
        /// Connections that are lent to uploads.
        var uploads: [ObjectIdentifier: Upload] = [:]
        /// The number of connections being opened for uploads.
        var openingUploads = 0
        /// When a connection was last given back.
        var lastReturn: ContinuousClock.Instant?
        /// When a connection was last closed. The server may still count it for a moment.
        var lastDrop: ContinuousClock.Instant?
        var parked: [(id: ObjectIdentifier, evict: @Sendable () -> Void)] = []
        /// Connections that are lent or being opened.
        var lent: [FTPSession] = []
        /// The number of times that everything was closed.
        var closings = 0
        var isReaping = false
    }

    struct Upload {
        /// Ends this upload to free its connection; nil if the upload cannot be restarted.
        var end: (@Sendable () -> Void)?
        var isEnding = false
    }
}

extension FTPPool.State {
    /// The error of the first login, if it has failed since there were `failures` failed tries.
    func failure(since failures: Int) -> (any Error)? { hasLoggedIn || failures == self.failures ? nil : failure }

    /// Whether one more connection may be lent to an upload. While uploads wait for their sources, one connection is
    /// left for the readers of those sources.
    func mayLend(forUpload isUpload: Bool) -> Bool {
        !isUpload || uploads.count + openingUploads < max(1, cap - 1) || !uploads.keys.contains(where: held.contains)
    }

    mutating func lend(_ session: FTPSession, forUpload isUpload: Bool) {
        lent.append(session)
        if isUpload { uploads[ObjectIdentifier(session)] = FTPPool.Upload() }
    }

    mutating func takeBack(_ session: FTPSession) {
        lent.removeAll { $0 === session }
        held.remove(ObjectIdentifier(session))
        uploads[ObjectIdentifier(session)] = nil
        lastReturn = .now
    }

    /// Removes and returns the waiter that has waited longest of those that may have a connection.
    mutating func nextWaiter() -> FTPWaiter? {
        waiters.firstIndex { mayLend(forUpload: $0.isUpload) }.map { waiters.remove(at: $0) }
    }

    /// Returns the closure that ends a stuck upload. Uploads are stuck if they have all connections and wait for their
    /// sources while another caller, perhaps the reader of a source, waits for a connection.
    mutating func endUpload() -> (@Sendable () -> Void)? {
        guard cap > 1, count >= cap, uploads.count == count, waiters.contains(where: { !$0.isUpload }) else {
            return nil
        }
        guard uploads.keys.allSatisfy(held.contains), !uploads.values.contains(where: \.isEnding) else { return nil }
        guard let (id, upload) = uploads.first(where: { $0.value.end != nil }) else { return nil }
        uploads[id]?.isEnding = true
        return upload.end
    }

    mutating func wakeOne() {
        while let waiter = nextWaiter() { if waiter.wake() { return } }
    }

    mutating func wakeAll() {
        for waiter in waiters { _ = waiter.wake() }
        waiters = []
    }
}
